// FrontEventsTests: the front's end of a session's link, as conversations.

import NapkinProtocol
import Testing

struct FrontEventsTests {
    private typealias Machine = FrontEvents<Int>
    private let me = SessionIdentity(front: 7, epoch: 3)

    private func attached(window: Int = 2) -> FrontEvents<Int> {
        var machine = Machine()
        #expect(machine.connected() == nil)
        #expect(machine.eventOffered(0) == .refuse)
        let action = machine.attachedReceived(me, window: window, isResumed: false)
        #expect(action == .begin(.init()))
        return machine
    }

    /// Whose turn it is, and the number of its event.
    private func turn(_ machine: inout FrontEvents<Int>) -> [Int]? {
        machine.creditGiven().map { [$0, Int($1)] }
    }

    private func send(_ token: Int, _ machine: inout FrontEvents<Int>) {
        [UInt8(token)].withUnsafeBytes { machine.eventSent(token, $0) }
    }

    @Test func `events are numbered, beyond the window they wait, and credit goes in order`() {
        var machine = attached()
        #expect(machine.eventOffered(10) == .send(1))
        send(10, &machine)
        #expect(machine.eventOffered(11) == .send(2))
        send(11, &machine)
        #expect(machine.eventOffered(12) == .wait)
        #expect(machine.eventOffered(13) == .wait)
        #expect(turn(&machine) == nil)
        #expect(machine.answerReceived(2) == .end(11))
        #expect(machine.eventOffered(14) == .wait)
        #expect(turn(&machine) == [12, 3])
        // It could not be encoded: neither number nor credit is used up.
        #expect(turn(&machine) == [13, 3])
        send(13, &machine)
        #expect(turn(&machine) == nil)
        #expect(machine.unansweredEvents == 2)
    }

    @Test func `after a loss what was not answered is sent again, in order, then what waited`() {
        var machine = attached()
        for token in [10, 11] {
            _ = machine.eventOffered(token)
            send(token, &machine)
        }
        #expect(machine.eventOffered(12) == .wait)
        #expect(machine.answerReceived(1) == .end(10))
        #expect(turn(&machine) == [12, 3])
        send(12, &machine)
        #expect(machine.eventOffered(13) == .wait)
        machine.connectionEnded()
        #expect(machine.eventOffered(14) == .refuse)
        #expect(turn(&machine) == nil)
        #expect(machine.connected() == me)
        // In another epoch, with a smaller window.
        let later = SessionIdentity(front: 7, epoch: 4)
        #expect(
            machine.attachedReceived(later, window: 1, isResumed: true) == .sendAgain([11, 12]))
        #expect(machine.identity == later)
        #expect(machine.answerReceived(3) == .end(12))
        #expect(turn(&machine) == nil)
        #expect(machine.answerReceived(2) == .end(11))
        #expect(turn(&machine) == [13, 4])
    }

    @Test func `a front that is not known any more ends its events as they are, and counts anew`() {
        var machine = attached(window: 1)
        _ = machine.eventOffered(10)
        send(10, &machine)
        #expect(machine.eventOffered(11) == .wait)
        machine.connectionEnded()
        #expect(machine.connected() == me)
        machine.connectionEnded()
        #expect(machine.connected() == me)
        let other = SessionIdentity(front: 9, epoch: 3)
        #expect(
            machine.attachedReceived(other, window: 1, isResumed: false)
                == .begin(.init(unknown: [10], notExecuted: [11])))
        #expect(machine.eventOffered(12) == .send(1))
    }

    @Test func `a resume that takes too long ends events, and the front comes back as a new one`() {
        var machine = attached(window: 1)
        #expect(machine.resumeExpired() == .init())
        _ = machine.eventOffered(10)
        send(10, &machine)
        machine.connectionEnded()
        #expect(machine.hasOpenEvents)
        #expect(machine.resumeExpired() == .init(unknown: [10]))
        #expect(machine.connected() == nil)
    }

    @Test func `leaving ends everything, and nothing begins after it`() {
        var machine = attached(window: 1)
        _ = machine.eventOffered(10)
        send(10, &machine)
        _ = machine.eventOffered(11)
        #expect(machine.left() == .init(unknown: [10], notExecuted: [11]))
        #expect(machine.eventOffered(12) == .refuse)
        #expect(machine.connected() == nil)
        #expect(machine.left() == .init())
    }

    @Test func `a worker's misbehaviour is a value`() {
        var early = Machine()
        #expect(early.answerReceived(1) == .violation("an answer before the front was attached"))
        #expect(
            early.attachedReceived(me, window: 1, isResumed: false)
                == .violation("an attached frame where none is due"))
        _ = early.connected()
        #expect(
            early.attachedReceived(me, window: 0, isResumed: false)
                == .violation("a window of 0 events"))
        #expect(
            early.attachedReceived(me, window: 1, isResumed: true)
                == .violation("front 7 was resumed, which is not this one"))
    }

    @Test func `an answer that nobody waits for is ignored, and counted`() {
        var machine = attached()
        _ = machine.eventOffered(10)
        send(10, &machine)
        for stray: UInt64 in [0, 2, .max] { #expect(machine.answerReceived(stray) == .ignore) }
        #expect(machine.answerReceived(1) == .end(10))
        #expect(machine.answerReceived(1) == .ignore)
        #expect(machine.confirmationSent() == 5)
        #expect(machine.eventOffered(11) == .send(2))
    }

    @Test(arguments: [-1, 0, 1]) func `answers are confirmed in bunches`(offset: Int) {
        var machine = attached(window: 100)
        let count = Limits.answersPerConfirmation + offset
        for number in 1...count {
            _ = machine.eventOffered(number)
            send(number, &machine)
            #expect(machine.answerReceived(UInt64(number)) == .end(number))
        }
        #expect(machine.isConfirmationDue == (offset >= 0))
        #expect(machine.confirmationSent() == UInt64(count))
        #expect(machine.confirmationSent() == nil)
        #expect(!machine.isConfirmationDue)
    }

    @Test func `frames of answered events do not pile up behind one that is never answered`() {
        var machine = attached(window: 4)
        let frame = [UInt8](repeating: 1, count: 1000)
        for number in 1...UInt64(10_000) {
            _ = machine.eventOffered(Int(number))
            frame.withUnsafeBytes { machine.eventSent(Int(number), $0) }
            if number > 1 { #expect(machine.answerReceived(number) == .end(Int(number))) }
        }
        #expect(machine.bufferedBytes <= 20 * 1024)
        machine.connectionEnded()
        _ = machine.connected()
        #expect(
            machine.attachedReceived(me, window: 4, isResumed: true) == .sendAgain(frame))
    }
}
