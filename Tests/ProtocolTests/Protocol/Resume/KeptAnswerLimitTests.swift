// KeptAnswerLimitTests: how many answers a worker keeps, at the limits themselves.

import NapkinProtocol
import Testing

struct KeptAnswerLimitTests {
    /// A worker that has answered that many events with frames of that size.
    private func worker(answers: Int, bytes: Int, isConnected: Bool) -> SeatEvents {
        var machine = SeatEvents(front: 1)
        machine.attached()
        let frame = [UInt8](repeating: 7, count: bytes)
        for number in 1...UInt64(answers) {
            #expect(machine.eventReceived(number) == .run)
            #expect(machine.handlerFinished(number) == .send)
            frame.withUnsafeBytes { machine.answerEncoded(number, $0) }
        }
        if !isConnected { machine.connectionEnded() }
        return machine
    }

    @Test(arguments: [-1, 0, 1], [true, false])
    func `answers are limited exactly: the oldest is forgotten`(offset: Int, isConnected: Bool) {
        let count = Limits.answersKeptMax + offset
        var machine = worker(answers: count, bytes: 8, isConnected: isConnected)
        #expect(machine.keptAnswers == min(count, Limits.answersKeptMax))
        #expect(machine.keptAnswerBytes == 8 * min(count, Limits.answersKeptMax))
        machine.attached()
        let frame = [UInt8](repeating: 7, count: 8)
        #expect(machine.eventReceived(1) == (offset > 0 ? .answerUnknown : .sendAgain(frame)))
        #expect(machine.eventReceived(2) == .sendAgain(frame))
    }

    @Test(arguments: [-1, 0, 1], [true, false])
    func `bytes of answers are limited exactly: the oldest is forgotten`(
        offset: Int, isConnected: Bool
    ) {
        // A few large answers, and one that makes up the limit.
        let large = Limits.answersKeptBytesMax / 4
        var machine = worker(answers: 3, bytes: large, isConnected: true)
        let last = [UInt8](repeating: 9, count: large + offset)
        #expect(machine.eventReceived(4) == .run)
        #expect(machine.handlerFinished(4) == .send)
        last.withUnsafeBytes { machine.answerEncoded(4, $0) }
        if !isConnected { machine.connectionEnded() }
        #expect(machine.keptAnswers == (offset > 0 ? 3 : 4))
        #expect(
            machine.keptAnswerBytes
                == Limits.answersKeptBytesMax + offset - (offset > 0 ? large : 0))
        machine.attached()
        let frame = [UInt8](repeating: 7, count: large)
        #expect(machine.eventReceived(1) == (offset > 0 ? .answerUnknown : .sendAgain(frame)))
        #expect(machine.eventReceived(4) == .sendAgain(last))
    }

    @Test(arguments: [-1, 0, 1]) func `events outstanding are limited exactly`(offset: Int) {
        var machine = SeatEvents(front: 1)
        machine.attached()
        for number in 1..<UInt64(Limits.eventWindow + offset) {
            #expect(machine.eventReceived(number) == .run)
        }
        let last = machine.eventReceived(UInt64(Limits.eventWindow + offset))
        #expect(last == (offset > 0 ? .refuse(.excess) : .run))
    }
}
