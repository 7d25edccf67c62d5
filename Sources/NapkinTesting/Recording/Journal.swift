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
        let isMet: @Sendable (inout State) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var lines: [String] = []
        var waiters: [Waiter] = []
        /// Lines that `next(_:)` has not returned or passed over begin here.
        var position = 0

        /// Takes those whose condition holds now.
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

    /// Adds a line, and wakes who waits for it.
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
        await wait { (state: inout State) in isMet(state.lines) }
    }

    private func wait(_ isMet: @escaping @Sendable (inout State) -> Bool) async {
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

    /// Returns when `line` is there after the lines that earlier calls have returned or passed
    /// over. What comes before it is passed over.
    ///
    /// ```swift
    /// await journal.next("banner LAST CALL · Brisket")
    /// await journal.next("summary 1 SMOKING · 2 RESTING")     // after the banner
    /// ```
    public func next(_ line: String) async {
        await wait { (state: inout State) in state.advance(to: line) }
    }

    /// The lines that `next(_:)` has not returned or passed over.
    public var unread: [String] { state.withLock { Array($0.lines[$0.position...]) } }

    /// Passes over what has been noted so far.
    public func skip() { state.withLock { $0.position = $0.lines.count } }

    // MARK: - Beginning anew

    /// Takes what has been noted so far, read or not, and begins anew.
    public func take() -> [String] {
        state.withLock { state in
            defer { (state.lines, state.position) = ([], 0) }
            return state.lines
        }
    }
}
