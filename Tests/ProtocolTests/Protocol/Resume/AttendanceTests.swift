// AttendanceTests: who is new, who returns, who takes over, and who is forgotten.

import NapkinProtocol
import Testing

struct AttendanceTests {
    private func identity(_ front: UInt64, _ epoch: UInt32) -> SessionIdentity {
        SessionIdentity(front: front, epoch: epoch)
    }

    @Test func `a front that returns is known, in the epoch that it has seen`() {
        var session = AttendanceStateMachine(epoch: 9)
        #expect(session.attachReceived(previous: nil, on: 1) == .admit(front: 1))
        #expect(session.attachReceived(previous: identity(1, 9), on: 2) == .resume(front: 1))
        #expect(session.attachReceived(previous: identity(1, 8), on: 3) == .admit(front: 2))
        #expect(session.attachReceived(previous: identity(6, 9), on: 4) == .admit(front: 3))
        #expect(session.fronts == [1, 2, 3])
    }

    @Test func `a second connection takes over, and the end of the first says nothing`() {
        var session = AttendanceStateMachine(epoch: 1)
        #expect(session.attachReceived(previous: nil, on: 10) == .admit(front: 1))
        #expect(session.attachReceived(previous: identity(1, 1), on: 11) == .resume(front: 1))
        #expect(session.connectionEnded(10, of: 1, at: 5) == false)
        #expect(session.nextDeadline == nil)
        #expect(session.connectionEnded(11, of: 1, at: 5) == true)
        #expect(session.attachReceived(previous: identity(1, 1), on: 12) == .resume(front: 1))
    }

    @Test(arguments: [-1, 0, 1]) func `a front that stays away is forgotten in time`(offset: Int) {
        var session = AttendanceStateMachine(epoch: 1)
        _ = session.attachReceived(previous: nil, on: 1)
        #expect(session.connectionEnded(1, of: 1, at: 1000) == true)
        let deadline = 1000 + UInt64(Limits.departedFrontSeconds) * 1000
        #expect(session.nextDeadline == deadline)
        let forgotten = session.timerFired(at: deadline.advanced(by: offset))
        #expect(forgotten == (offset < 0 ? [] : [1]))
        let back = session.attachReceived(previous: identity(1, 1), on: 2)
        #expect(back == (offset < 0 ? .resume(front: 1) : .admit(front: 2)))
    }

    @Test func `all fronts of a worker that died may come back, in time`() {
        var session = AttendanceStateMachine(epoch: 1)
        let count = UInt64(Limits.departedFrontsMax) * 3
        session.restored(Array(1...count), newest: count, at: 1000)
        #expect(session.timerFired(at: 1000) == [])
        #expect(session.attachReceived(previous: identity(1, 1), on: 1) == .resume(front: 1))
        // It has left by itself now, and the others have not.
        #expect(session.connectionEnded(1, of: 1, at: 2000) == true)
        #expect(session.timerFired(at: 2000) == [])
        let deadline = 1000 + UInt64(Limits.departedFrontSeconds) * 1000
        #expect(session.timerFired(at: deadline) == Array(2...count))
        #expect(session.fronts == [1])
    }

    @Test(arguments: [-1, 0, 1]) func `those who are away are limited exactly`(offset: Int) {
        var session = AttendanceStateMachine(epoch: 1)
        let count = UInt64(Limits.departedFrontsMax + offset)
        for front in 1...count {
            _ = session.attachReceived(previous: nil, on: front)
            #expect(session.connectionEnded(front, of: front, at: front) == true)
        }
        #expect(session.timerFired(at: count) == (offset > 0 ? [1] : []))
        #expect(session.fronts.count == min(Int(count), Limits.departedFrontsMax))
    }

    @Test func `a front that somebody has detached is not to come back, here or away`() {
        var session = AttendanceStateMachine(epoch: 2)
        for front: UInt64 in 1...3 { _ = session.attachReceived(previous: nil, on: front) }
        #expect(session.connectionEnded(2, of: 2, at: 5) == true)
        #expect(session.departure(of: 1) == nil && session.departure(of: 2) == 5)
        for front: UInt64 in [1, 2] { #expect(session.frontDismissed(front) == true) }
        #expect(session.frontDismissed(1) == false)
        #expect(session.frontDismissed(9) == false)
        #expect(session.fronts == [3])
        #expect(session.nextDeadline == nil)
        #expect(session.connectionEnded(1, of: 1, at: 6) == false)
        for front: UInt64 in [1, 2] {
            #expect(session.isDismissed(identity(front, 2)))
            #expect(!session.isDismissed(identity(front, 1)))
        }
        #expect(!session.isDismissed(identity(3, 2)))
        #expect(!session.isDismissed(nil))
    }

    @Test(arguments: [-1, 0, 1]) func `who was detached is remembered within the limit exactly`(
        offset: Int
    ) {
        var session = AttendanceStateMachine(epoch: 1)
        let count = UInt64(Limits.departedFrontsMax + offset)
        for front in 1...count {
            _ = session.attachReceived(previous: nil, on: front)
            #expect(session.frontDismissed(front) == true)
        }
        #expect(session.isDismissed(identity(1, 1)) == (offset <= 0))
        #expect(session.isDismissed(identity(2, 1)) && session.isDismissed(identity(count, 1)))
    }

    @Test func `a front that leaves is forgotten at once`() {
        var session = AttendanceStateMachine(epoch: 1)
        _ = session.attachReceived(previous: nil, on: 1)
        session.detachReceived(from: 1)
        #expect(session.connectionEnded(1, of: 1, at: 0) == false)
        #expect(session.attachReceived(previous: identity(1, 1), on: 2) == .admit(front: 2))
    }
}
