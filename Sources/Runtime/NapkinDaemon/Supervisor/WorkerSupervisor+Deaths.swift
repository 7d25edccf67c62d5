// WorkerSupervisor+Deaths: records why a worker has died, and ends a worker that hangs.

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension WorkerSupervisor {
    /// The time that a hanging worker has to print its backtrace. Chosen: a debug build takes 0.5
    /// s, and more than 2 s on a very busy machine.
    private static let traceTime = Duration.seconds(5)
    /// The time for which returning fronts are told of a death. Chosen: a worker is restarted
    /// sooner.
    private static let newsTime = Duration.seconds(60)

    /// Records the cause of a death, with the worker's last words.
    ///
    /// - Parameter exited: whether the worker has exited itself, and may have printed the reason.
    func died(_ cause: String, exited: Bool = false) {
        let words = log.lastWords(of: id, orLine: exited)
        lastDeath = words.map { saying($0, cause) } ?? cause
        guard JournalStream.isOurs, let newest else { return }
        JournalReader.read(newest) { [id] lines, isOver in
            WorkerLog.lastWords(in: lines, of: id, orLine: exited && isOver)
        } onEnd: { [weak self] words in
            // The worker may have died once more.
            guard let self, self.lastDeath == cause, let words else { return }
            self.lastDeath = self.saying(words, cause)
        }
    }

    private func saying(_ words: String, _ cause: String) -> String {
        "\(cause), and said: \(words)\(explanation(of: words))"
    }

    func noteDeath() {
        logger.warning("worker died", metadata: ["cause": "\(lastDeath)"])
        log.workerDied(id, lastDeath)
    }

    /// The cause of the worker's death, if that was recent.
    var recentDeath: String? {
        guard let death, let diedAt, ContinuousClock.now - diedAt < Self.newsTime else {
            return nil
        }
        return death.shortened(to: Limits.refusalBytesMax)
    }

    func endChildren() {
        if let dead = newest.take() { WorkerLauncher.endGroup(of: dead) }
    }

    // MARK: - Hanging

    func watch(_ worker: WorkerLink) {
        newest = worker.register.pid
        limit(worker.register.pid)
        guard !machine.isDraining else { return }
        watchdog = Watchdog(
            link: worker.link, pid: worker.register.pid, patience: app.hang
        ) { [weak self] in self?.workerHung(worker) }
    }

    /// Kills a worker that does not answer, with a backtrace.
    private func workerHung(_ worker: WorkerLink) {
        let pid = worker.register.pid
        guard let patience = app.hang, self.worker === worker, ProcessLock.isHeld(lockPath, by: pid)
        else { return }
        isEnded = true
        end(pid, "its loop did not answer for \(patience.components.seconds) s")
    }

    /// Kills a worker that has outlived an earlier napkind and does not register within `app.hang`.
    func expectAnotherRegistration() {
        guard let patience = app.hang else { return }
        _ = LoopTimer(deadline: patience) { [weak self] in
            guard let self, self.expectsWorker,
                let pid = ClaimedName.holder(of: self.lockPath), pid > 1
            else { return }
            guard ProcessStatus(of: pid)?.isHeld != true else {
                return self.expectAnotherRegistration()
            }
            self.newest = pid
            self.end(pid, "it did not register for \(patience.components.seconds) s")
            self.noteDeath()
        }
    }

    /// Kills the worker by a signal that makes it print a backtrace; if that takes too long, by
    /// SIGKILL.
    func end(_ pid: Int32, _ reason: String, by signal: Int32 = SIGABRT) {
        lastDeath = reason
        kill(pid, signal)
        _ = LoopTimer(after: Self.traceTime) { [weak self] in
            guard let self else { return }
            // A child is ours until its end is reported; another worker holds the lock for life.
            if let process = self.process {
                if process.pid == pid { process.kill(SIGKILL) }
            } else if ProcessLock.isHeld(self.lockPath, by: pid) {
                kill(pid, SIGKILL)
            }
        }
    }

    /// Limits the wait for a program that may be no worker at all.
    func expectRegistration() {
        registration = LoopTimer(deadline: Self.registrationTime) { [weak self] in
            guard let self, self.worker == nil, let process = self.process else { return }
            self.lastDeath =
                "it did not register within \(Self.registrationTime.components.seconds) s, as a "
                + "worker does"
            self.isSilent = true
            process.kill(SIGKILL)
        }
    }
}
