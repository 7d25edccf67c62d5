// Watched: what the threads that read from a process have found, and who waits for more of it.

import Synchronization

/// A value that any thread may change and a test may wait on.
package final class Watched<Value: Sendable>: Sendable {
    private struct State {
        var value: Value
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    package init(_ value: Value) { state = Mutex(State(value: value)) }

    package var value: Value { state.withLock { $0.value } }

    package func change(_ body: (inout Value) -> Void) {
        let waiters = state.withLock { state in
            body(&state.value)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns when `isNow` holds: true. Where the task is cancelled, as a test is whose time is
    /// over, returns whether it does.
    @discardableResult
    package func wait(until isNow: @Sendable (Value) -> Bool) async -> Bool {
        while !isNow(value), !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let resumes = state.withLock { state in
                        if isNow(state.value) || Task.isCancelled { return true }
                        state.waiters.append(continuation)
                        return false
                    }
                    if resumes { continuation.resume() }
                }
            } onCancel: {
                change { _ in }
            }
        }
        return isNow(value)
    }
}
