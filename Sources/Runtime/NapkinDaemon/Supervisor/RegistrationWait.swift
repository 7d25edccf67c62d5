// RegistrationWait: the wait for a new process to register, which may be no worker at all.
//
// Ownership  owned by the worker's supervisor.
// Invariant  time in which the process is stopped or debugged does not count.

import NapkinTransport

@MainActor
final class RegistrationWait {
    /// The time that a manifest's program may take to register. Chosen: a waiting front is told.
    static let limit = Duration.seconds(8)
    /// The time between two checks of the process. Chosen: it seldom takes as long.
    private static let interval = Duration.seconds(1)

    private let pid: Int32
    private let overdue: () -> Void
    private var rest = RegistrationWait.limit
    private var timer: LoopTimer?

    /// - Parameter overdue: called once, unless the wait has ended before.
    init(for pid: Int32, overdue: @escaping () -> Void) {
        (self.pid, self.overdue) = (pid, overdue)
        scheduleCheck()
    }

    func end() { timer?.cancel() }

    private func scheduleCheck() {
        timer = LoopTimer(deadline: Self.interval) { [weak self] in
            guard let self else { return }
            if ProcessStatus(of: pid)?.isPaused != true { rest -= Self.interval }
            if rest > .zero { scheduleCheck() } else { overdue() }
        }
    }
}
