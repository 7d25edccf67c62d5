// SeatEventsTests: the worker's end of one front's events, as conversations.

import NapkinProtocol
import Testing

struct SeatEventsTests {
    private typealias Machine = SeatEvents

    private func answer(_ sequence: UInt64, _ machine: inout SeatEvents) {
        [UInt8(sequence)].withUnsafeBytes { machine.answerEncoded(sequence, $0) }
    }

    private func attached(answersMax: Int = 8) -> SeatEvents {
        var machine = Machine(front: 1, window: 4, answersMax: answersMax, answersBytesMax: 100)
        machine.attached()
        return machine
    }

    @Test func `an event that comes again is answered again, waits, or runs for the first time`() {
        var machine = attached()
        for number: UInt64 in 1...3 { #expect(machine.eventReceived(number) == .run) }
        #expect(machine.handlerFinished(2) == .send)
        answer(2, &machine)
        #expect(machine.handlerFinished(2) == .ignore)
        machine.connectionEnded()
        #expect(machine.handlerFinished(1) == .keep)
        answer(1, &machine)
        machine.attached()
        #expect(machine.eventReceived(1) == .sendAgain([1]))
        #expect(machine.eventReceived(2) == .sendAgain([2]))
        #expect(machine.eventReceived(3) == .ignore)
        #expect(machine.eventReceived(4) == .run)
        #expect(machine.handlerFinished(3) == .send)
    }

    @Test(arguments: [-1, 0, 1])
    func `events are limited in bytes, and one alone runs whatever it has`(offset: Int) {
        var machine = attached()
        let half = Limits.eventWindowBytesMax / 2
        #expect(machine.eventReceived(1, byteCount: half) == .run)
        let second = machine.eventReceived(2, byteCount: half + offset)
        #expect(second == (offset <= 0 ? .run : .refuse(.excess)))
        for number: UInt64 in 1...2 { #expect(machine.handlerFinished(number) == .send) }
        #expect(machine.eventReceived(3, byteCount: 2 * Limits.eventWindowBytesMax) == .run)
        #expect(machine.eventReceived(4, byteCount: 1) == .refuse(.excess))
    }

    @Test func `only an event that runs is cancelled, and one that was not sent cannot be`() {
        var machine = attached()
        for number: UInt64 in 1...2 { #expect(machine.eventReceived(number) == .run) }
        #expect(machine.handlerFinished(1) == .send)
        answer(1, &machine)
        #expect(machine.cancelReceived(0) == .ignore)
        #expect(machine.cancelReceived(1) == .ignore)
        #expect(machine.cancelReceived(2) == .cancelEvent)
        #expect(machine.cancelReceived(2) == .cancelEvent)
        let unsent = Machine.Action.violation("event 3 is cancelled, and event 2 is the newest")
        #expect(machine.cancelReceived(3) == unsent)
        machine.connectionEnded()
        #expect(machine.cancelReceived(2) == .ignore)
        // On each connection the event comes again before its cancellation.
        machine.attached()
        let early = Machine.Action.violation("event 2 is cancelled, and event 0 is the newest")
        #expect(machine.cancelReceived(2) == early)
        #expect(machine.eventReceived(2) == .ignore)
        #expect(machine.cancelReceived(2) == .cancelEvent)
        #expect(machine.handlerFinished(2) == .send)
        #expect(machine.cancelReceived(2) == .ignore)
    }

    @Test func `answers that the front does not ask for again are forgotten`() {
        var machine = attached()
        for number: UInt64 in 1...3 {
            #expect(machine.eventReceived(number) == .run)
            _ = machine.handlerFinished(number)
            answer(number, &machine)
        }
        machine.attached()
        #expect(machine.keptAnswers == 3)
        #expect(machine.eventReceived(2) == .sendAgain([2]))
        #expect(machine.keptAnswers == 2)
        #expect(machine.eventReceived(4) == .run)
        #expect(machine.keptAnswers == 1)
    }

    @Test func `numbers ascend on a connection, without a gap at the end`() {
        var machine = attached()
        #expect(machine.eventReceived(2) == .violation("event 2 where 1 is the next one"))
        #expect(machine.eventReceived(0) == .violation("event 0 after event 0"))
        #expect(machine.eventReceived(1) == .run)
        #expect(machine.eventReceived(1) == .violation("event 1 after event 1"))
        #expect(
            machine.eventReceived(.max) == .violation("event \(UInt64.max) where 2 is the next one")
        )
        machine.connectionEnded()
        #expect(machine.eventReceived(2) == .ignore)
    }

    @Test func `what is confirmed is forgotten, and a wrong count is a value`() {
        var machine = attached()
        for number: UInt64 in 1...4 {
            _ = machine.eventReceived(number)
            _ = machine.handlerFinished(number)
            answer(number, &machine)
        }
        #expect(machine.oldestKept == 1)
        #expect(machine.receivedReceived(3) == .ignore)
        #expect(machine.keptAnswers == 1 && machine.oldestKept == 4)
        #expect(machine.receivedReceived(3) == .ignore)
        #expect(
            machine.receivedReceived(5)
                == .violation("5 answers are said to have arrived, after 3 of 4"))
        #expect(
            machine.receivedReceived(2)
                == .violation("2 answers are said to have arrived, after 3 of 4"))
        #expect(machine.receivedReceived(4) == .ignore)
        #expect(machine.keptAnswers == 0 && machine.oldestKept == nil)
        machine.connectionEnded()
        #expect(machine.receivedReceived(9) == .ignore)
    }

    @Test func `forgotten answers count among those that arrived`() {
        var machine = attached(answersMax: 1)
        for number: UInt64 in 1...3 {
            _ = machine.eventReceived(number)
            _ = machine.handlerFinished(number)
            answer(number, &machine)
        }
        #expect(machine.receivedReceived(2) == .ignore)
        #expect(machine.keptAnswers == 1)
        #expect(machine.receivedReceived(3) == .ignore)
        #expect(machine.keptAnswers == 0)
    }

    @Test func `of a front that is gone for good no answer is kept`() {
        var machine = attached(answersMax: 8)
        for number: UInt64 in 1...3 { _ = machine.eventReceived(number) }
        for number: UInt64 in 1...2 {
            if number == 2 { machine.connectionEnded() }
            _ = machine.handlerFinished(number)
            answer(number, &machine)
        }
        #expect(machine.keptAnswers == 2)
        machine.forgotten()
        #expect(machine.keptAnswers == 0)
        #expect(machine.runningEvents == 1)
        #expect(machine.handlerFinished(3) == .keep)
        answer(3, &machine)
        #expect(machine.keptAnswers == 0)
    }

    @Test func `after a restore a front may skip numbers of events that were not recorded`() {
        var machine = Machine(front: 1)
        machine.restored(started: 3, forgotten: 0, answers: [(3, [3])])
        machine.attached()
        #expect(machine.eventReceived(5) == .run)
        #expect(machine.eventReceived(5) == .violation("event 5 after event 5"))
        machine.attached()
        #expect(machine.eventReceived(5) == .ignore)
        #expect(machine.eventReceived(8) == .run)
        #expect(machine.eventReceived(7) == .violation("event 7 after event 8"))
        #expect(machine.eventReceived(.max) == .run)
    }

    @Test func `a front that has confirmed an answer after a restore skips no more numbers`() {
        var machine = Machine(front: 1)
        machine.restored(started: 3, forgotten: 0, answers: [])
        machine.attached()
        #expect(machine.eventReceived(5) == .run)
        // A connection that ends before it has confirmed: the front sends all again.
        machine.attached()
        #expect(machine.eventReceived(5) == .ignore)
        #expect(machine.eventReceived(7) == .run)
        _ = machine.handlerFinished(7)
        answer(7, &machine)
        #expect(machine.receivedReceived(0) == .ignore)
        #expect(machine.eventReceived(9) == .run)
        #expect(machine.receivedReceived(1) == .ignore)
        #expect(machine.eventReceived(11) == .violation("event 11 where 10 is the next one"))
        #expect(machine.eventReceived(10) == .run)
    }
}
