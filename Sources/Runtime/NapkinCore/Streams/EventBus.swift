// EventBus: a service's announcements, for any number of streams.
//
// Isolation  any thread (Mutex).
// Invariant  a stream buffers at most `capacity` events; beyond that the oldest is dropped.

import Synchronization

/// A bus of events without replay: a stream yields the events sent after its creation.
public final class EventBus<Event: Sendable>: Sendable {
    /// The number of unread events that a stream keeps by default. Chosen: a burst of them.
    @usableFromInline static var defaultCapacity: Int { 64 }

    private let capacity: Int
    private let streams = Mutex(StreamBuffers<Event>())

    private let source: InventoryLabel

    public init(
        capacity: Int = EventBus.defaultCapacity, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.capacity = capacity
        source = InventoryLabel("an EventBus", file: file, line: line)
    }

    /// Sends the event to every current stream. Never waits: a full stream drops its oldest event.
    public func send(_ event: Event) { streams.withLock { $0.send(event) } }

    /// The events sent from now on.
    public var events: BufferedStream<Event> {
        let buffer = streams.withLock { streams in
            streams.add(limit: capacity) { [weak self] id in
                self?.streams.withLock { $0.remove(id) }
            }
        }
        return BufferedStream(buffer, of: source)
    }

    deinit { streams.withLock { $0.end() } }
}
