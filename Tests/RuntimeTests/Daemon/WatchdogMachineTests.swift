// WatchdogMachineTests: when a worker is pinged, and when it is said to hang.

import NapkinProtocol
import Testing

struct WatchdogMachineTests {
    private enum Input {
        case timer(isPaused: Bool)
        case answer(UInt64)
    }

    private static let patience = Duration.seconds(10)
    private static let ping = WatchdogStateMachine.Action.ping(1, patience: patience)
    private static let second = WatchdogStateMachine.Action.ping(2, patience: patience)

    private static let conversations: [[(Input, WatchdogStateMachine.Action)]] = [
        // One that answers is pinged again after a second.
        [
            (.timer(isPaused: false), ping), (.answer(1), .wait(.seconds(1))),
            (.timer(isPaused: false), second), (.answer(2), .wait(.seconds(1))),
        ],
        [(.timer(isPaused: false), ping), (.timer(isPaused: false), .hang)],
        // One that is held gets its full time each time.
        [
            (.timer(isPaused: false), ping), (.timer(isPaused: true), .wait(patience)),
            (.timer(isPaused: true), .wait(patience)), (.timer(isPaused: false), .hang),
        ],
        // Answers that no ping has asked for.
        [
            (.answer(0), .ignore), (.timer(isPaused: false), ping), (.answer(0), .ignore),
            (.answer(2), .ignore), (.answer(1), .wait(.seconds(1))), (.answer(1), .ignore),
            (.timer(isPaused: false), second),
        ],
    ]

    @Test(arguments: conversations.indices)
    func `a worker is pinged, and hangs if it runs and does not answer in time`(index: Int) {
        var machine = WatchdogStateMachine(patience: Self.patience)
        for (step, (input, action)) in Self.conversations[index].enumerated() {
            switch input {
            case .timer(let isPaused):
                #expect(machine.timerFired(at: .zero, isPaused: isPaused) == action, "\(step)")
            case .answer(let number): #expect(machine.answered(number) == action, "\(step)")
            }
        }
    }

    @Test func `a worker that may be silent for ever is pinged, and its silence is known`() {
        var machine = WatchdogStateMachine(patience: nil)
        #expect(machine.timerFired(at: .seconds(5), isPaused: false) == .ping(1, patience: nil))
        #expect(machine.timerFired(at: .seconds(9), isPaused: false) == .ignore)
        #expect(machine.silence(at: .seconds(9)) == .seconds(4))
        #expect(machine.answered(1) == .wait(.seconds(1)))
        #expect(machine.silence(at: .seconds(9)) == .zero)
    }
}
