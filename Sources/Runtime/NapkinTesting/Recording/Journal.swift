// Journal: notes events line by line, and lets tests wait for a line.
//
// Isolation  any thread (Mutex).

import Synchronization

/// Lines in the order of their arrival.
///
/// ```swift
/// journal.note("didFinish")
/// await journal.wait(for: "didFinish")
/// #expect(journal.lines == ["didFinish"])
/// ```
///
/// A wait that fails for a minute ends the tests and prints the lines so far.
public final class Journal: Sendable {
    private struct Waiter {
        let isMet: @Sendable (inout State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        /// The first line that `next(_:)` has neither returned nor passed over.
        var position = 0

        /// Removes and returns the waiters whose condition holds now.
        mutating func met() -> [Waiter] {
            var (met, rest): ([Waiter], [Waiter]) = ([], [])
            for waiter in waiters {
                if waiter.isMet(&self) { met.append(waiter) } else { rest.append(waiter) }
            }
            waiters = rest
            return met
        }

        mutating func advance(to line: String) -> Bool {
            guard let index = lines[position...].firstIndex(of: line) else { return false }
            position = index + 1
            return true
        }
    }

    private let state = Mutex(State())

    public init() {}

    public var lines: [String] { state.withLock { $0.lines } }

    /// Adds a line, and wakes the tasks that wait for it.
    public func note(_ line: String) {
        let met = state.withLock { state in
            state.lines.append(line)
            return state.met()
        }
        for waiter in met { waiter.continuation.resume() }
    }

    /// Returns the number of lines equal to `line`.
    public func count(of line: String) -> Int { lines.count { $0 == line } }

    /// Returns when `line` has been noted; at once if it already was.
    public func wait(
        for line: String, file: StaticString = #filePath, at sourceLine: UInt = #line
    ) async {
        await wait(file, sourceLine) { (state: inout State) in state.lines.contains(line) }
    }

    /// Returns when `isMet` holds for all lines so far. It is called again after each new line.
    public func wait(
        until isMet: @escaping @Sendable ([String]) -> Bool, file: StaticString = #filePath,
        line: UInt = #line
    ) async {
        await wait(file, line) { (state: inout State) in isMet(state.lines) }
    }

    private func wait(
        _ file: StaticString, _ line: UInt, _ isMet: @escaping @Sendable (inout State) -> Bool
    ) async {
        if state.withLock({ isMet(&$0) }) { return }
        let watch = WaitLimit.begin(file, line) { [self] in "the journal's unread lines: \(unread)"
        }
        defer { watch.cancel() }
        await withCheckedContinuation { continuation in
            let isMetAlready = state.withLock { state in
                if isMet(&state) { return true }
                state.waiters.append(Waiter(isMet: isMet, continuation: continuation))
                return false
            }
            if isMetAlready { continuation.resume() }
        }
    }

    // MARK: - Reading in order

    /// Returns when `line` follows the lines that earlier calls returned or passed over. Lines
    /// before it are passed over.
    ///
    /// ```swift
    /// await journal.next("banner LAST CALL · Brisket")
    /// await journal.next("summary 1 SMOKING · 2 RESTING")     // after the banner
    /// ```
    public func next(
        _ line: String, file: StaticString = #filePath, at sourceLine: UInt = #line
    ) async {
        await wait(file, sourceLine) { (state: inout State) in state.advance(to: line) }
    }

    /// The lines that `next(_:)` has neither returned nor passed over.
    public var unread: [String] { state.withLock { Array($0.lines[$0.position...]) } }

    /// Passes over all lines so far.
    public func skip() { state.withLock { $0.position = $0.lines.count } }

    // MARK: - Starting over

    /// Returns all lines so far, read or not, and starts over without them.
    public func take() -> [String] {
        state.withLock { state in
            defer { (state.lines, state.position) = ([], 0) }
            return state.lines
        }
    }
}
