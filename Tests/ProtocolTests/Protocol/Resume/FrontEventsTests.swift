// FrontEventsTests: the front's end of a session's link, as conversations.

import NapkinProtocol
import Testing

struct FrontEventsTests {
    private typealias Machine = FrontEvents<Int>
    private let me = SessionIdentity(front: 7, epoch: 3)

    private func attached(window: Int = 2) -> FrontEvents<Int> {
        var machine = Machine()
        #expect(machine.connected() == nil)
        #expect(machine.eventQueued(0) == false)
        let attached = Attached(me, window: window, isResumed: false)
        #expect(
            machine.attachedReceived(attached)
                == .attached(attached, ended: .init(), sendAgain: []))
        return machine
    }

    /// Whose turn it is, and the number of its event.
    private func turn(_ machine: inout FrontEvents<Int>) -> [Int]? {
        machine.creditGiven().map { [$0, Int($1)] }
    }

    private func waits(_ token: Int, _ machine: inout FrontEvents<Int>) -> Bool {
        !machine.hasCredit && machine.eventQueued(token)
    }

    private func send(_ token: Int, _ machine: inout FrontEvents<Int>) {
        [UInt8(token)].withUnsafeBytes { machine.eventSent(token, $0) }
    }

    @Test func `events are numbered, beyond the window they wait, and credit goes in order`() {
        var machine = attached()
        #expect(machine.hasCredit && machine.nextSequence == 1)
        send(10, &machine)
        #expect(machine.hasCredit && machine.nextSequence == 2)
        send(11, &machine)
        #expect(waits(12, &machine))
        #expect(waits(13, &machine))
        #expect(turn(&machine) == nil)
        #expect(machine.answerReceived(2) == .succeed(11))
        #expect(waits(14, &machine))
        #expect(turn(&machine) == [12, 3])
        // It could not be encoded: neither number nor credit is used up.
        #expect(turn(&machine) == [13, 3])
        send(13, &machine)
        #expect(turn(&machine) == nil)
        #expect(machine.unansweredEvents == 2)
    }

    @Test func `events that were withdrawn keep no place for long`() {
        var machine = attached(window: 1)
        func send(_ token: Int) {
            [UInt8(0)].withUnsafeBytes { machine.eventSent(token, $0) }
        }
        send(-1)
        for token in 0..<1000 { #expect(waits(token, &machine)) }
        var withdrawn: Set<Int> = []
        for token in (0..<1000).reversed() where token % 100 != 0 {
            withdrawn.insert(token)
            machine.eventWithdrawn { withdrawn.contains($0) }
            let live = 1000 - withdrawn.count
            #expect(Array(machine.queued).count <= max(2 * live, live + 64))
        }
        var turns: [Int] = []
        for number: UInt64 in 1...10 {
            #expect(machine.answerReceived(number) == .succeed(turns.last ?? -1))
            while let (token, next) = machine.creditGiven() {
                #expect(next == number + 1)
                if withdrawn.contains(token) { continue }
                turns.append(token)
                send(token)
            }
        }
        #expect(turns == Array(stride(from: 0, to: 1000, by: 100)))
    }

    @Test func `after a loss what was not answered is sent again, in order, then what waited`() {
        var machine = attached()
        for token in [10, 11] { send(token, &machine) }
        #expect(waits(12, &machine))
        #expect(machine.answerReceived(1) == .succeed(10))
        #expect(turn(&machine) == [12, 3])
        send(12, &machine)
        #expect(waits(13, &machine))
        machine.connectionEnded()
        #expect(machine.eventQueued(14) == false)
        #expect(turn(&machine) == nil)
        #expect(machine.connected() == me)
        // In another epoch, with a smaller window.
        let later = SessionIdentity(front: 7, epoch: 4)
        let attached = Attached(later, window: 1, isResumed: true)
        #expect(
            machine.attachedReceived(attached)
                == .attached(attached, ended: .init(), sendAgain: [11, 12]))
        #expect(machine.identity == later)
        #expect(machine.answerReceived(3) == .succeed(12))
        #expect(turn(&machine) == nil)
        #expect(machine.answerReceived(2) == .succeed(11))
        #expect(turn(&machine) == [13, 4])
    }

    @Test func `a front that is not known any more ends its events as they are, and counts anew`() {
        var machine = attached(window: 1)
        send(10, &machine)
        #expect(waits(11, &machine))
        machine.connectionEnded()
        #expect(machine.connected() == me)
        machine.connectionEnded()
        #expect(machine.connected() == me)
        let other = SessionIdentity(front: 9, epoch: 3)
        let attached = Attached(other, window: 1, isResumed: false)
        let ended = FrontEvents<Int>.Ended(unknown: [10], notExecuted: [11])
        #expect(
            machine.attachedReceived(attached) == .attached(attached, ended: ended, sendAgain: []))
        #expect(machine.hasCredit && machine.nextSequence == 1)
    }

    /// Attaches again, to a worker of that process, under the same identity.
    private func resumed(
        _ machine: inout FrontEvents<Int>, by worker: Int32
    ) -> FrontStateMachine<Int>.Action {
        #expect(machine.connected() == me)
        return machine.attachedReceived(Attached(me, window: 4, isResumed: true), by: worker)
    }

    private func sentAgain(
        _ frames: [UInt8], suspects: [Int] = []
    ) -> FrontStateMachine<Int>.Action {
        .attached(
            Attached(me, window: 4, isResumed: true), ended: .init(suspects: suspects),
            sendAgain: frames)
    }

    /// How a connection of a front ends that waits for an answer.
    enum Loss: Sendable {
        case death, cut, goodbye, late
        /// A death, and then a connection on which the front is not attached.
        case unattached
    }

    @Test(
        arguments: [
            ([.death, .death, .death], [2]),
            ([.death, .death], []),
            ([.cut, .cut, .cut, .cut, .cut], []),
            ([.death, .cut, .death, .cut, .cut, .death], [2]),
            ([.goodbye, .goodbye, .goodbye, .goodbye], []),
            ([.death, .goodbye, .death, .death], [2]),
            ([.death, .death, .late, .death], []),
            ([.death, .death, .late, .death, .death], [2]),
            ([.death, .unattached], []),
            ([.death, .unattached, .unattached], [2]),
        ] as [([Loss], [Int])])
    func `only deaths count, in a row, of a worker that had the event`(
        _ losses: [Loss], _ suspects: [Int]
    ) throws {
        var machine = FrontEvents<Int>()
        _ = machine.connected()
        _ = machine.attachedReceived(Attached(me, window: 4, isResumed: false), by: 7)
        send(1, &machine)
        #expect(machine.answerReceived(1) == .succeed(1))
        send(2, &machine)
        var worker: Int32 = 7
        var last: FrontStateMachine<Int>.Action?
        for loss in losses {
            #expect(last == nil || last == sentAgain([2]))
            machine.connectionEnded(isSilent: loss != .goodbye, isLate: loss == .late)
            if loss == .unattached {
                #expect(machine.connected() == me)
                machine.connectionEnded()
            }
            if loss != .cut { worker += 1 }
            last = resumed(&machine, by: worker)
        }
        guard !suspects.isEmpty else {
            #expect(last == sentAgain([2]))
            return
        }
        let nothing = try FrameHeader(.event, sequence: 2).encoded(payload: [])
        #expect(last == sentAgain(nothing, suspects: suspects))
        // What the worker says to that is nobody's answer, and the next event leaves no gap.
        #expect(machine.unansweredEvents == 0 && machine.nextSequence == 3)
        send(3, &machine)
        #expect(machine.answerReceived(2) == .answerIgnored)
        #expect(machine.answerReceived(3) == .succeed(3))
    }

    @Test func `an event that was sent after the first of three deaths is sent again`() throws {
        var machine = attached(window: 4)
        send(10, &machine)
        for worker: Int32 in 1...3 {
            machine.connectionEnded()
            if worker == 3 {
                let nothing = try FrameHeader(.event, sequence: 1).encoded(payload: [])
                #expect(resumed(&machine, by: 3) == sentAgain(nothing + [11], suspects: [10]))
            } else {
                #expect(resumed(&machine, by: worker) == sentAgain(worker == 1 ? [10] : [10, 11]))
            }
            if worker == 1 { send(11, &machine) }
        }
        machine.connectionEnded()
        let nothing = try FrameHeader(.event, sequence: 2).encoded(payload: [])
        #expect(resumed(&machine, by: 4) == sentAgain(nothing, suspects: [11]))
    }

    @Test func `a resume that takes too long ends events, and the front comes back as a new one`() {
        var machine = attached(window: 1)
        #expect(machine.resumeExpired() == .init())
        send(10, &machine)
        machine.connectionEnded()
        #expect(machine.hasOpenEvents)
        #expect(machine.resumeExpired() == .init(unknown: [10]))
        #expect(machine.connected() == nil)
    }

    @Test func `leaving ends everything, and nothing begins after it`() {
        var machine = attached(window: 1)
        send(10, &machine)
        #expect(waits(11, &machine))
        #expect(machine.detached() == .init(unknown: [10], notExecuted: [11]))
        #expect(machine.eventQueued(12) == false)
        #expect(machine.connected() == nil)
        #expect(machine.detached() == .init())
    }

    @Test func `a worker's misbehaviour is a value`() {
        var early = Machine()
        #expect(early.answerReceived(1) == .violation("an answer before the front was attached"))
        #expect(
            early.attachedReceived(Attached(me, window: 1, isResumed: false))
                == .violation("an attached frame for a front that is not attaching"))
        _ = early.connected()
        #expect(
            early.attachedReceived(Attached(me, window: 0, isResumed: false))
                == .violation("a window of 0 events"))
        #expect(
            early.attachedReceived(Attached(me, window: 1, isResumed: true))
                == .violation("front 7 was resumed, which is not this one"))
    }

    @Test func `an answer that nobody waits for is ignored, and counted`() {
        var machine = attached()
        send(10, &machine)
        for stray: UInt64 in [0, 2, .max] {
            #expect(machine.answerReceived(stray) == .answerIgnored)
        }
        #expect(machine.answerReceived(1) == .succeed(10))
        #expect(machine.answerReceived(1) == .answerIgnored)
        #expect(machine.confirmationSent() == 5)
        #expect(machine.hasCredit && machine.nextSequence == 2)
    }

    @Test(arguments: [-1, 0, 1]) func `answers are confirmed in bunches`(offset: Int) {
        var machine = attached(window: 100)
        let count = Limits.answersPerConfirmation + offset
        for number in 1...count {
            send(number, &machine)
            #expect(machine.answerReceived(UInt64(number)) == .succeed(number))
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
            frame.withUnsafeBytes { machine.eventSent(Int(number), $0) }
            if number > 1 { #expect(machine.answerReceived(number) == .succeed(Int(number))) }
        }
        #expect(machine.bufferedBytes <= 20 * 1024)
        machine.connectionEnded()
        _ = machine.connected()
        let attached = Attached(me, window: 4, isResumed: true)
        #expect(
            machine.attachedReceived(attached)
                == .attached(attached, ended: .init(), sendAgain: frame))
    }
}
