// EventBus: a service's announcements, for any number of streams.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Invariant  a stream buffers at most `capacity` events; beyond that the oldest is dropped.

import Synchronization

/// Events without replay: a stream sees what is sent after it was made.
public final class EventBus<Event: Sendable>: Sendable {
    /// How many unread events a stream keeps, unless its bus says otherwise. Chosen.
    public static var defaultCapacity: Int { 64 }

    private let capacity: Int
    private let streams = Mutex(StreamBuffers<Event>())

    private let source: LedgerLabel

    public init(
        capacity: Int = EventBus.defaultCapacity, file: StaticString = #fileID,
        line: UInt = #line
    ) {
        self.capacity = capacity
        source = LedgerLabel("an EventBus", file: file, line: line)
    }

    /// Gives the event to every stream that there is now. Never waits: of a full stream the oldest
    /// event is dropped.
    public func send(_ event: Event) {
        streams.withLock { $0.send(event) }
    }

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
