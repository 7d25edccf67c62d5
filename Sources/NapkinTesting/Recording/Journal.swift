// Journal: what happened, line by line, and who waits for it to happen.
//
// Layer      testing.
// Isolation  any thread (Mutex).

import Synchronization

/// Lines in the order in which they came.
///
/// ```swift
/// journal.note("didFinish")
/// await journal.wait(for: "didFinish")
/// #expect(journal.lines == ["didFinish"])
/// ```
public final class Journal: Sendable {
    private struct Waiter {
        let isMet: @Sendable ([String]) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []

        /// Takes those whose condition holds now.
        mutating func met() -> [Waiter] {
            let met = waiters.filter { $0.isMet(lines) }
            if !met.isEmpty { waiters.removeAll { $0.isMet(lines) } }
            return met
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var lines: [String] { state.withLock { $0.lines } }

    public func note(_ line: String) {
        let met = state.withLock { state in
            state.lines.append(line)
            return state.met()
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// How many lines are equal to `line`.
    public func count(of line: String) -> Int { lines.count { $0 == line } }

    /// Returns when `line` is there; at once when it is already.
    public func wait(for line: String) async {
        await wait { $0.contains(line) }
    }

    /// Returns when `isMet` holds of all lines so far. It is asked again after each new line.
    public func wait(until isMet: @escaping @Sendable ([String]) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(state.lines) { return true }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }

    /// Takes what has been noted so far, and begins anew.
    public func take() -> [String] {
        state.withLock { state in
            defer { state.lines = [] }
            return state.lines
        }
    }
}
