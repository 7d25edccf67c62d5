// StateCell: a service's current value, observable by any number of streams.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Invariant  a stream buffers one value: the newest.

import Synchronization

/// A value that replays to each new stream and then reports changes, newest only.
///
/// ```swift
/// task { for await items in pit.items.values { await presenter.present(items: items) } }
/// ```
public final class StateCell<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var nextID: UInt64 = 0
        var streams: [UInt64: StreamBuffer<Value>] = [:]
    }

    private let state: Mutex<State>

    public init(_ value: Value) {
        state = Mutex(State(value: value))
    }

    /// The current value; setting it tells every stream.
    public var value: Value {
        get { state.withLock { $0.value } }
        set { update { $0 = newValue } }
    }

    /// Changes the value in place and tells every stream, in the order of the changes.
    public func update<R>(_ change: (inout sending Value) -> sending R) -> sending R {
        state.withLock { state in
            let result = change(&state.value)
            for stream in state.streams.values { stream.send(state.value) }
            return result
        }
    }

    /// The current value, then each change; a slow reader sees only the newest.
    public var values: BufferedStream<Value> {
        state.withLock { state in
            state.nextID += 1
            let id = state.nextID
            let buffer = StreamBuffer<Value>(limit: 1) { [weak self] in self?.forget(id) }
            buffer.send(state.value)
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
