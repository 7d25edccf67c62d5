// DepartureTests: in which order fronts that left are forgotten, and their answers given again.

import NapkinProtocol
import Testing

struct DepartureTests {
    @Test func `of those who left at the same time the first is forgotten first`() {
        var session = AttendanceStateMachine(epoch: 1, departedMax: 1)
        for connection: UInt64 in 1...2 {
            let front = session.attachReceived(previous: nil, on: connection)
            #expect(front == .admit(front: connection))
        }
        for front: UInt64 in [2, 1] {
            #expect(session.connectionEnded(front, of: front, at: 5) == true)
        }
        #expect(session.timerFired(at: 5) == [2])
        let back = SessionIdentity(front: 1, epoch: 1)
        #expect(session.attachReceived(previous: back, on: 3) == .resume(front: 1))
    }

    /// Finished in another order than they were sent, some before a loss and some after it.
    @Test func `answers from several connections are given again by their numbers`() {
        var machine = SeatEvents(front: 1, answersMax: 4)
        machine.attached()
        for number: UInt64 in 1...6 { #expect(machine.eventReceived(number) == .run) }
        for number: UInt64 in [3, 1] { finish(number, &machine) }
        machine.connectionEnded()
        for number: UInt64 in [5, 2] { finish(number, &machine) }
        machine.attached()
        #expect(machine.eventReceived(1) == .sendAgain([1]))
        for number: UInt64 in [6, 4] { finish(number, &machine) }
        machine.connectionEnded()
        machine.attached()
        for number: UInt64 in [1, 2] { #expect(machine.eventReceived(number) == .answerUnknown) }
        for number: UInt64 in 3...6 {
            #expect(machine.eventReceived(number) == .sendAgain([UInt8(number)]))
        }
    }

    private func finish(_ number: UInt64, _ machine: inout SeatEvents) {
        #expect(machine.handlerFinished(number) != .ignore)
        [UInt8(number)].withUnsafeBytes { machine.answerEncoded(number, $0) }
    }
}
