// Watchdog: pings a process, and notices when its loop does not answer.
//
// Ownership  owned by the supervisor of the process; its timers end when it is released.
// Spec       Protocol/SPEC.md, sections 6.4 (ping) and 6.5 (pong)

import NapkinProtocol
import NapkinTransport

/// Drives the state machine that watches a worker, or a child's process.
@MainActor
package final class Watchdog {
    private let link: Link
    private let pid: Int32
    private let onHang: () -> Void
    private var machine: WatchdogStateMachine
    private var timer: LoopTimer?

    /// - Parameter onHang: called once, when the worker has not answered for `patience`; never if
    ///   `patience` is `nil`.
    package init(link: Link, pid: Int32, patience: Duration?, onHang: @escaping () -> Void) {
        (self.link, self.pid, self.onHang) = (link, pid, onHang)
        machine = WatchdogStateMachine(patience: patience)
        timerFired()
    }

    isolated deinit { timer?.cancel() }

    /// How long the worker has been silent.
    package var silence: Duration { machine.silence(at: now) }

    private var now: Duration { .nanoseconds(MeasuringClock.nanoseconds) }

    /// Handles the answer to a ping.
    package func answered(_ number: UInt64) { perform(machine.answered(number)) }

    private func timerFired() {
        let isPaused = machine.isAsking && ProcessStatus(of: pid)?.isPaused == true
        perform(machine.timerFired(at: now, isPaused: isPaused))
    }

    private func perform(_ action: WatchdogStateMachine.Action) {
        switch action {
        case .ping(let sequence, let patience):
            link.send(FrameHeader(.ping, sequence: sequence), value: true)
            if let patience { wait(patience) }
        case .wait(let time): wait(time)
        case .hang: onHang()
        case .ignore: break
        }
    }

    private func wait(_ time: Duration) {
        timer?.cancel()
        let fire: @MainActor () -> Void = { [weak self] in self?.timerFired() }
        timer = machine.isAsking ? LoopTimer(deadline: time, fire) : LoopTimer(after: time, fire)
    }
}
