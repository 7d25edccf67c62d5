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

    private struct State {
        var nextID: UInt64 = 0
        var streams: [UInt64: StreamBuffer<Event>] = [:]
    }

    private let capacity: Int
    private let state = Mutex(State())

    public init(capacity: Int = EventBus.defaultCapacity) {
        self.capacity = capacity
    }

    public func send(_ event: Event) {
        state.withLock { state in
            for stream in state.streams.values { stream.send(event) }
        }
    }

    /// The events sent from now on.
    public var events: BufferedStream<Event> {
        state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let buffer = StreamBuffer<Event>(limit: capacity) { [weak self] in self?.forget(id) }
            state.streams[id] = buffer
            return BufferedStream(buffer)
        }
    }

    private func forget(_ id: UInt64) {
        state.withLock { $0.streams[id] = nil }
    }

    deinit {
        for stream in state.withLock({ $0.streams }).values { stream.end() }
    }
}
