// WorkerSupervisor+Deaths: why a worker has died, and the end of one that does not answer.

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension WorkerSupervisor {
    /// How long a worker that hangs may take to print where it is. Chosen: a debug build takes
    /// 0.5 s, and more than 2 s on a machine that is very busy.
    private static let traceTime = Duration.seconds(5)
    /// How long a front that comes back is told of a death. Chosen: a worker is started again
    /// sooner.
    private static let newsTime = Duration.seconds(60)

    /// Keeps the cause of a death, with the worker's last words.
    ///
    /// - Parameter exited: whether it has ended by itself, and may have said why in its own words.
    func died(_ cause: String, exited: Bool = false) {
        let words = log.lastWords(of: id, orLine: exited)
        lastDeath = words.map { saying($0, cause) } ?? cause
        guard JournalStream.isOurs, let newest else { return }
        JournalReader.read(newest) { [id] lines, isOver in
            WorkerLog.lastWords(in: lines, of: id, orLine: exited && isOver)
        } onEnd: { [weak self] words in
            // It may have died once more.
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

    /// How the worker has died lately.
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

    /// Ends a worker that does not answer, with a trace of where it is.
    private func workerHung(_ worker: WorkerLink) {
        let pid = worker.register.pid
        guard let patience = app.hang, self.worker === worker, ProcessLock.isHeld(lockPath, by: pid)
        else { return }
        isEnded = true
        end(pid, "its loop did not answer for \(patience.components.seconds) s")
    }

    /// Ends a worker that has outlived an earlier napkind and does not register for as long.
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

    /// Ends the worker, by a signal after which it prints where it is; if that takes too long, at
    /// once.
    func end(_ pid: Int32, _ reason: String, by signal: Int32 = SIGABRT) {
        lastDeath = reason
        kill(pid, signal)
        _ = LoopTimer(after: Self.traceTime) { [weak self] in
            guard let self else { return }
            // A child is one until its end is reported; another has the lock as long as it lives.
            if let process = self.process {
                if process.pid == pid { process.kill(SIGKILL) }
            } else if ProcessLock.isHeld(self.lockPath, by: pid) {
                kill(pid, SIGKILL)
            }
        }
    }

    /// A program that is no worker would be waited for without an end.
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
