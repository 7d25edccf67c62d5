// ChildCallsTests: the calls between a worker and the process of a child: numbers and credit.

import NapkinCoding
import NapkinProtocol
import Testing

struct ChildCallsTests {
    private func calls(
        window: Int = 2, bytesMax: Int = 10, answersMax: Int = 10
    ) -> ChildCallsStateMachine<String> {
        ChildCallsStateMachine(window: window, bytesMax: bytesMax, answersMax: answersMax)
    }

    private static let slow = Limits.slowFrontBytes + 1

    /// The calls that may be sent now, as `1 a`.
    private func sent(_ calls: inout ChildCallsStateMachine<String>) -> [String] {
        var sent: [String] = []
        while let (token, number) = calls.nextCall() { sent.append("\(number) \(token)") }
        return sent
    }

    @Test func `calls are numbered in their order, and wait beyond the window`() {
        var calls = self.calls()
        for token in ["a", "b", "c"] { calls.callMade(token, byteCount: 1) }
        #expect(sent(&calls) == ["1 a", "2 b"])
        #expect(calls.unanswered == ["a", "b"] && calls.call(2) == "b")
        #expect(calls.answerReceived(2) == "b")
        #expect(sent(&calls) == ["3 c"])
        // Answered, never made, and not yet made.
        for number in [2, 0, 4] as [UInt64] { #expect(calls.answerReceived(number) == nil) }
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `the bytes of unanswered calls are limited`(bytes: Int, isSent: Bool) {
        var calls = self.calls()
        calls.callMade("a", byteCount: 1)
        calls.callMade("b", byteCount: bytes - 1)
        #expect(sent(&calls) == (isSent ? ["1 a", "2 b"] : ["1 a"]))
        var peer = self.calls()
        #expect(peer.callReceived(1, byteCount: 1) == true)
        #expect(peer.callReceived(2, byteCount: bytes - 1) == isSent)
    }

    @Test func `a single call may be larger`() {
        var (calls, peer) = (self.calls(), self.calls())
        calls.callMade("a", byteCount: 11)
        calls.callMade("b", byteCount: 0)
        #expect(sent(&calls) == ["1 a"])
        #expect(peer.callReceived(1, byteCount: 11) == true)
        #expect(peer.callReceived(2, byteCount: 0) == false)
        #expect(calls.answerReceived(1) == "a")
        #expect(sent(&calls) == ["2 b"])
    }

    @Test func `a call that is withdrawn while it waits is never sent and has no number`() {
        var calls = self.calls(window: 1)
        for token in ["a", "b", "c"] { calls.callMade(token, byteCount: 0) }
        #expect(sent(&calls) == ["1 a"])
        let withdrawn = ["b", "a"].map { token in calls.callWithdrawn { $0 == token } }
        #expect(withdrawn == [true, false])
        _ = calls.answerReceived(1)
        #expect(sent(&calls) == ["2 c"])
    }

    @Test func `the end of the line tells sent calls from others, once`() {
        var calls = self.calls(window: 1)
        for token in ["a", "b"] { calls.callMade(token, byteCount: 0) }
        _ = sent(&calls)
        let (unanswered, unsent) = calls.lineEnded()
        #expect(unanswered == ["a"] && unsent == ["b"])
        let (later, others) = calls.lineEnded()
        #expect(later.isEmpty && others.isEmpty)
    }

    @Test func `the peer's calls come in order, within the window, and are answered once`() {
        var calls = self.calls()
        for (number, isInOrder) in [(0, false), (2, false), (.max, false), (1, true), (2, true)]
            as [(UInt64, Bool)]
        {
            #expect(calls.callReceived(number, byteCount: 0) == isInOrder)
        }
        #expect(calls.callReceived(3, byteCount: 0) == false)
        let returned = [1, 1, 7].map { calls.callReturned($0, byteCount: 0) }
        #expect(returned == [.kept, .none, .none])
        #expect(calls.callReceived(1, byteCount: 0) == false)
        // A call has credit until its answer is sent.
        #expect(calls.callReceived(3, byteCount: 0) == false)
        #expect(calls.nextAnswer(pendingBytes: 0) == 1)
        #expect(calls.callReceived(3, byteCount: 0) == true)
    }

    @Test(arguments: [(9, true), (10, true), (11, false)])
    func `an answer waits while the peer does not read, in its order`(bytes: Int, isSent: Bool) {
        var calls = self.calls(bytesMax: Self.slow + 10, answersMax: 11)
        for number in [1, 2] as [UInt64] { _ = calls.callReceived(number, byteCount: 0) }
        #expect(calls.callReturned(2, byteCount: bytes) == .kept)
        #expect(calls.callReturned(1, byteCount: 0) == .kept)
        #expect(calls.nextAnswer(pendingBytes: Self.slow) == (isSent ? 2 : nil))
        if !isSent { #expect(calls.nextAnswer(pendingBytes: Self.slow - 1) == 2) }
        #expect(calls.nextAnswer(pendingBytes: Self.slow) == 1)
        #expect(calls.nextAnswer(pendingBytes: 0) == nil)
    }

    @Test(arguments: [(4, true), (5, true), (6, false)])
    func `answers that wait have a limit, and one that is beyond it is a fault`(
        bytes: Int, isKept: Bool
    ) {
        var calls = self.calls(window: 3)
        for number in 1...3 as ClosedRange<UInt64> { _ = calls.callReceived(number, byteCount: 0) }
        #expect(calls.callReturned(1, byteCount: 5) == .kept)
        #expect(calls.callReturned(2, byteCount: bytes) == (isKept ? .kept : .tooLong))
        let sent = (1...3).map { _ in calls.nextAnswer(pendingBytes: 0) }
        #expect(sent == [1, 2, nil])
        // A single one may be larger, and there is room again.
        #expect(calls.callReturned(3, byteCount: 11) == .kept)
    }
}
