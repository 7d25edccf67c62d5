// Journal: what happened, in order, and who waits for it to happen.

import Synchronization

/// Lines that tests compare; any thread may write.
package final class Journal: Sendable {
    private struct State {
        var lines: [String] = []
        var waiters: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    package var lines: [String] { state.withLock { $0.lines } }

    package func count(of line: String) -> Int { lines.count { $0 == line } }

    package func note(_ line: String) {
        let woken = state.withLock { state in
            state.lines.append(line)
            let woken = state.waiters.filter { $0.line == line }
            state.waiters.removeAll { $0.line == line }
            return woken
        }
        for waiter in woken { waiter.continuation.resume() }
    }

    /// Returns when the journal holds `line`.
    package func wait(for line: String) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.lines.contains(line) { return true }
                state.waiters.append((line, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    package func clear() { state.withLock { $0.lines = [] } }
}
