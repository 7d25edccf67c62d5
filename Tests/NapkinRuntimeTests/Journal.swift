// Journal: what happened, in order, and who waits for it to happen.

/// Lines that tests compare.
@MainActor
final class Journal {
    private(set) var lines: [String] = []
    private var waiters: [(line: String, continuation: CheckedContinuation<Void, Never>)] = []

    func note(_ line: String) {
        lines.append(line)
        let woken = waiters.filter { $0.line == line }
        waiters.removeAll { $0.line == line }
        for waiter in woken { waiter.continuation.resume() }
    }

    func count(of line: String) -> Int { lines.count { $0 == line } }

    /// Returns when the journal holds `line`.
    func wait(for line: String) async {
        guard !lines.contains(line) else { return }
        await withCheckedContinuation { waiters.append((line, $0)) }
    }

    func clear() { lines = [] }
}
