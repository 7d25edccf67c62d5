// ChildProcessMachineTests: the life of a child's process, as conversations.

import NapkinProtocol
import Testing

struct ChildProcessMachineTests {
    private typealias Machine = ChildProcessStateMachine

    private enum Input {
        case activated, resigned, attached, resignedItself, hung, timer, awaitedTimer
        case decided(restarts: Bool)
        case failed(String)
        case hungUp(String?)
        case exited(ChildEnd)
    }

    private static let killed = ChildEnd.signalled(9)
    private static let begin: [(Input, [Machine.Action])] = [
        (.activated, [.start]), (.attached, [.activated]),
    ]
    private static let crash: [(Input, [Machine.Action])] = [
        (.exited(killed), []), (.hungUp(nil), [.report(killed)]),
    ]

    private static let leave: [Machine.Action] = [.detach, .wait(Machine.leavingTime)]

    private static let conversations: [[(Input, [Machine.Action])]] = [
        // It leaves in order; the ends come in any order.
        begin + [
            (.resigned, leave), (.hungUp("it left"), []), (.exited(.exited(0)), [.left]),
            (.activated, [.start]),
        ],
        begin + [
            (.resigned, leave), (.exited(.exited(0)), []), (.hungUp(nil), [.left]),
            (.timer, []),
        ],
        // It does not leave in time.
        begin + [
            (.resigned, leave), (.timer, [.kill]), (.exited(killed), []),
            (.hungUp(nil), [.left]),
        ],
        // It resigns before its handlers have returned; one of them may have it detached.
        begin + [
            (.resigned, leave), (.resignedItself, [.resigned]), (.resignedItself, []),
            (.awaitedTimer, [.wait(Machine.leavingTime)]), (.timer, [.kill]),
            (.exited(killed), []), (.hungUp(nil), [.left]),
        ],
        // One that hangs does not resign, whoever waits.
        begin + [(.resignedItself, []), (.resigned, leave), (.awaitedTimer, [.kill])],
        // It is wanted again while its process ends.
        begin + [
            (.resigned, leave), (.resignedItself, [.resigned]), (.activated, [.kill]),
            (.exited(killed), []), (.hungUp(nil), [.left, .start]), (.attached, [.activated]),
        ],
        // It crashes, is restarted, and given up.
        begin + crash + [
            (.decided(restarts: true), [.wait(.zero)]), (.timer, [.start]),
            (.attached, [.activated]), (.hungUp(nil), [.kill]),
            (.exited(.exited(1)), [.report(.exited(1))]),
            (.decided(restarts: true), [.wait(.milliseconds(50))]), (.timer, [.start]),
            (.exited(killed), []), (.hungUp(nil), [.activated, .report(killed)]),
            (.decided(restarts: false), [.giveUp]), (.resigned, [.left]),
        ],
        // While it becomes active.
        [(.activated, [.start]), (.failed("no"), [.activated, .report(.refused("no"))])],
        [
            (.activated, [.start]), (.timer, [.abort]), (.timer, [.kill]), (.exited(killed), []),
            (.hungUp(nil), [.activated, .report(.hung)]),
        ],
        // It hangs, or breaks the protocol: that is the reason, not the signal.
        begin + [
            (.hung, [.abort]), (.hung, []), (.exited(killed), []), (.hungUp(nil), [.report(.hung)]),
        ],
        begin + [
            (.hungUp("frames"), [.kill]), (.exited(killed), [.report(.refused("frames"))]),
        ],
        // It is detached while it dies, while the parent decides, and while it waits.
        begin + [(.exited(killed), []), (.resigned, []), (.hungUp(nil), [.left])],
        begin + crash + [(.resigned, [.left]), (.decided(restarts: true), [])],
        begin + crash + [
            (.decided(restarts: true), [.wait(.zero)]), (.resigned, [.left]), (.timer, []),
        ],
        // What comes too late, or twice.
        begin + crash + [
            (.attached, []), (.exited(killed), []), (.hungUp(nil), []), (.hung, []),
            (.activated, [.activated]),
        ],
    ]

    @Test(arguments: conversations.indices)
    func `a process is started, reported once when it crashes, and restarted after a while`(
        index: Int
    ) {
        var machine = Machine()
        for (step, (input, expected)) in Self.conversations[index].enumerated() {
            let actions =
                switch input {
                case .activated: machine.activated()
                case .resigned: machine.resigned()
                case .attached: machine.attached()
                case .resignedItself: machine.resignedItself()
                case .awaitedTimer: machine.timerFired(isAwaited: true)
                case .hung: machine.hung()
                case .timer: machine.timerFired()
                case .decided(let restarts):
                    machine.decided(
                        machine.crashes, restarts: restarts, at: .seconds(1), jitter: 0)
                case .failed(let reason): machine.failed(reason)
                case .hungUp(let reason): machine.hungUp(reason)
                case .exited(let exit): machine.exited(exit)
                }
            #expect(actions == expected, "\(input), step \(step)")
        }
    }

    @Test func `a child that always crashes is restarted once a second`() {
        var machine = Machine()
        _ = machine.activated()
        var waits: [Duration] = []
        for number in 0..<9 {
            _ = (machine.exited(Self.killed), machine.hungUp(nil))
            let actions = machine.decided(
                machine.crashes, restarts: true, at: .milliseconds(100 * number), jitter: 0)
            if case .wait(let time)? = actions.first { waits.append(time) }
            _ = machine.timerFired()
        }
        #expect(waits.count == 9)
        #expect(waits.prefix(3) == [.zero, .milliseconds(50), .milliseconds(200)])
        #expect(waits.dropFirst(3).allSatisfy { $0 == .seconds(1) })
    }

    @Test func `a decision about an earlier crash is none about the newest`() {
        var machine = Machine()
        func crash() {
            _ = (machine.activated(), machine.exited(Self.killed), machine.hungUp(nil))
        }
        crash()
        let former = machine.crashes
        _ = machine.resigned()
        crash()
        #expect(machine.decided(former, restarts: true, at: .zero, jitter: 0) == [])
        let newest = machine.crashes
        #expect(machine.decided(newest, restarts: false, at: .zero, jitter: 0) == [.giveUp])
    }

    @Test func `only an active child takes events`() {
        var machine = Machine()
        #expect(!machine.isActive)
        _ = machine.activated()
        #expect(!machine.isActive)
        _ = machine.attached()
        #expect(machine.isActive)
        _ = machine.resigned()
        #expect(!machine.isActive)
    }
}
