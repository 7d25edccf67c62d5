// ChildCallsStateMachine: numbers and credit for the calls between a worker and a child's process,
// both ways.
//
// Isolation  value; owned by one line. Both sides use the same machine.
// Invariant  a side's calls are numbered 1, 2, 3… and begin in that order; at most `window` of them
//            with `bytesMax` bytes are unanswered, or a single larger one; each ends once. While
//            the peer does not read, answers wait in the order in which they became ready.
// Spec       Protocol/CHILD.md, section 3 (Calls)

import NapkinCoding

/// The calls that one side of a line has made and received.
package struct ChildCallsStateMachine<Token> {
    private struct Made {
        let token: Token
        let byteCount: Int
    }

    /// The unanswered calls of one side.
    private struct Credit {
        let window: Int
        let bytesMax: Int
        var count = 0
        var bytes = 0

        func admits(_ byteCount: Int) -> Bool {
            count == 0 || count < window && bytes + byteCount <= bytesMax
        }

        mutating func take(_ byteCount: Int) { (count, bytes) = (count + 1, bytes + byteCount) }
        mutating func give(_ byteCount: Int) { (count, bytes) = (count - 1, bytes - byteCount) }
    }

    private var made: [UInt64: Made] = [:]
    private var waiting: ArraySlice<Made> = []
    private var newestMade: UInt64 = 0
    private var ownCredit: Credit
    private struct Received {
        let byteCount: Int
        var hasReturned = false
    }

    private var received: [UInt64: Received] = [:]
    private var newestReceived: UInt64 = 0
    private var peerCredit: Credit
    /// The answers that wait, with the size of each.
    private var answers: ArraySlice<(number: UInt64, byteCount: Int)> = []
    private var answerBytes = 0
    private let answersMax: Int

    /// - Parameters:
    ///   - bytesMax: half of the bytes that a line may have to write: calls alone end no line.
    ///   - answersMax: bytes of answers that may wait.
    package init(
        window: Int = Limits.eventWindow, bytesMax: Int = Limits.orderedBacklogBytesMax / 2,
        answersMax: Int = Limits.orderedBacklogBytesMax
    ) {
        ownCredit = Credit(window: window, bytesMax: bytesMax)
        peerCredit = ownCredit
        self.answersMax = answersMax
    }

    // MARK: - This side's calls

    /// The unanswered calls of this side, in the order of their numbers.
    package var unanswered: [Token] { made.sorted { $0.key < $1.key }.map(\.value.token) }

    /// Returns this side's unanswered call with that number.
    package func call(_ number: UInt64) -> Token? { made[number]?.token }

    /// A call is made. `nextCall` returns it when it may be sent.
    package mutating func callMade(_ token: Token, byteCount: Int) {
        waiting.append(Made(token: token, byteCount: byteCount))
    }

    /// Returns the next call that may be sent, with its number. Repeat it after `callMade` and
    /// `answerReceived`, until it returns `nil`.
    package mutating func nextCall() -> (token: Token, number: UInt64)? {
        guard let first = waiting.first, ownCredit.admits(first.byteCount) else { return nil }
        waiting = waiting.dropFirst()
        // The buffer of a slice keeps removed elements.
        if waiting.isEmpty { waiting = [] }
        newestMade += 1
        made[newestMade] = first
        ownCredit.take(first.byteCount)
        return (first.token, newestMade)
    }

    /// An answer has arrived. Returns its call; `nil` if there is none: the peer is at fault.
    package mutating func answerReceived(_ number: UInt64) -> Token? {
        guard let call = made.removeValue(forKey: number) else { return nil }
        ownCredit.give(call.byteCount)
        return call.token
    }

    /// A caller no longer waits for a call. Returns whether it has not been sent, and will not be.
    package mutating func callWithdrawn(_ predicate: (Token) -> Bool) -> Bool {
        guard let index = waiting.firstIndex(where: { predicate($0.token) }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// The line has ended. Returns the calls without an answer, and those that were not sent.
    package mutating func lineEnded() -> (unanswered: [Token], unsent: [Token]) {
        defer { (made, waiting) = ([:], []) }
        return (unanswered, waiting.map(\.token))
    }

    // MARK: - The peer's calls

    /// A call has arrived. Returns whether it may begin; if not, the peer is at fault.
    package mutating func callReceived(_ number: UInt64, byteCount: Int) -> Bool {
        guard number == newestReceived &+ 1, peerCredit.admits(byteCount) else { return false }
        newestReceived = number
        received[number] = Received(byteCount: byteCount)
        peerCredit.take(byteCount)
        return true
    }

    /// What happens to an answer.
    package enum Answer: Equatable, Sendable {
        /// The call had an answer already.
        case none
        /// `nextAnswer` says when it may be sent.
        case kept
        /// There is no room for it: answer with a short fault, which `nextAnswer` returns in its
        /// place.
        case tooLong
    }

    /// A call's handler has returned with an answer of `byteCount` bytes.
    package mutating func callReturned(_ number: UInt64, byteCount: Int) -> Answer {
        guard received[number]?.hasReturned == false else { return .none }
        received[number]?.hasReturned = true
        let fits = answers.isEmpty || answerBytes + byteCount <= answersMax
        answers.append((number, fits ? byteCount : 0))
        if fits { answerBytes += byteCount }
        return fits ? .kept : .tooLong
    }

    /// Returns the next answer that may be sent, when the peer has `pendingBytes` to read. Repeat
    /// it after `callReturned` and when the peer has read, until it returns `nil`.
    package mutating func nextAnswer(pendingBytes: Int) -> UInt64? {
        // The line reports that its peer has read only after the peer was slow: answers below that
        // mark must not wait for the report.
        guard let (number, byteCount) = answers.first,
            pendingBytes <= Limits.slowFrontBytes
                || pendingBytes + byteCount <= ownCredit.bytesMax
        else { return nil }
        answers = answers.dropFirst()
        if answers.isEmpty { answers = [] }
        answerBytes -= byteCount
        if let call = received.removeValue(forKey: number) { peerCredit.give(call.byteCount) }
        return number
    }
}
