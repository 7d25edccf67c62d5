// WatchdogMachineTests: when a worker is pinged, and when it is said to hang.

import Testing

@testable import NapkinDaemon

struct WatchdogMachineTests {
    private enum Input {
        case timer(isHeld: Bool)
        case answer(UInt64)
    }

    private static let patience = Duration.seconds(10)
    private static let ping = WatchdogStateMachine.Action.ping(1, patience: patience)
    private static let second = WatchdogStateMachine.Action.ping(2, patience: patience)

    private static let conversations: [[(Input, WatchdogStateMachine.Action)]] = [
        // One that answers is pinged again after a second.
        [
            (.timer(isHeld: false), ping), (.answer(1), .wait(.seconds(1))),
            (.timer(isHeld: false), second), (.answer(2), .wait(.seconds(1))),
        ],
        [(.timer(isHeld: false), ping), (.timer(isHeld: false), .hang)],
        // One that is held gets its full time each time.
        [
            (.timer(isHeld: false), ping), (.timer(isHeld: true), .wait(patience)),
            (.timer(isHeld: true), .wait(patience)), (.timer(isHeld: false), .hang),
        ],
        // Answers that no ping has asked for.
        [
            (.answer(0), .ignore), (.timer(isHeld: false), ping), (.answer(0), .ignore),
            (.answer(2), .ignore), (.answer(1), .wait(.seconds(1))), (.answer(1), .ignore),
            (.timer(isHeld: false), second),
        ],
    ]

    @Test(arguments: conversations.indices)
    func `a worker is pinged, and hangs if it runs and does not answer in time`(index: Int) {
        var machine = WatchdogStateMachine(patience: Self.patience)
        for (step, (input, action)) in Self.conversations[index].enumerated() {
            switch input {
            case .timer(let isHeld):
                #expect(machine.timerFired(at: .zero, isHeld: isHeld) == action, "\(step)")
            case .answer(let number): #expect(machine.answered(number) == action, "\(step)")
            }
        }
    }

    @Test func `a worker that may be silent for ever is pinged, and its silence is known`() {
        var machine = WatchdogStateMachine(patience: nil)
        #expect(machine.timerFired(at: .seconds(5), isHeld: false) == .ping(1, patience: nil))
        #expect(machine.timerFired(at: .seconds(9), isHeld: false) == .ignore)
        #expect(machine.silence(at: .seconds(9)) == .seconds(4))
        #expect(machine.answered(1) == .wait(.seconds(1)))
        #expect(machine.silence(at: .seconds(9)) == .zero)
    }
}
