// StateCell: a service's current value, observable by any number of streams.
//
// Isolation  any thread (Mutex).
// Invariant  a stream buffers one value: the newest.

import Synchronization

/// A value that is replayed to each new stream, which then reports changes, newest only.
///
/// ```swift
/// task { for await items in pit.items.values { await presenter.present(items: items) } }
/// ```
public final class StateCell<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var streams = StreamBuffers<Value>()
    }

    private let state: Mutex<State>
    private let source: InventoryLabel

    public init(_ value: Value, file: StaticString = #fileID, line: UInt = #line) {
        state = Mutex(State(value: value))
        source = InventoryLabel("a StateCell", file: file, line: line)
    }

    /// The current value; setting it updates every stream.
    public var value: Value {
        get { state.withLock { $0.value } }
        set { update { $0 = newValue } }
    }

    /// Changes the value in place and updates every stream, in the order of the changes.
    public func update<R>(_ change: (inout sending Value) -> sending R) -> sending R {
        state.withLock { state in
            let result = change(&state.value)
            state.streams.send(state.value)
            return result
        }
    }

    /// The current value, then each change; a slow reader sees only the newest.
    public var values: BufferedStream<Value> {
        let buffer = state.withLock { state in
            let buffer = state.streams.add(limit: 1) { [weak self] id in
                self?.state.withLock { $0.streams.remove(id) }
            }
            buffer.send(state.value)
            return buffer
        }
        return BufferedStream(buffer, of: source)
    }

    deinit { state.withLock { $0.streams.end() } }
}
