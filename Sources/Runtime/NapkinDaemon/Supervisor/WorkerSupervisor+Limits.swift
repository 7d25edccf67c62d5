// WorkerSupervisor+Limits: what a worker may use, and how many fronts it has.
//
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import Glibc
import Logging
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension AppLimits {
    /// Bytes that a worker may have beyond its memory limit, so that only a burst between two looks
    /// ends there. Chosen: thirty stacks of threads, of which little is resident, take them.
    private static let reserveBytes = 256 * 1024 * 1024

    /// What the kernel sees to.
    fileprivate var ofProcess: [ProcessLimit] {
        [
            .core(core ?? 0), files.map { .files($0) },
            memory.map { .data($0 + Self.reserveBytes) },
        ].compactMap(\.self)
    }

    /// What a worker is told, since it sees to that itself.
    var arguments: [String] { events.map { ["--worker-events", "\($0)"] } ?? [] }
}

extension WorkerSupervisor {
    /// Limits a process that was just started, or that registers: it may have outlived an earlier
    /// napkind, or have raised its number of files just before it was limited.
    func limit(_ pid: Int32) {
        for limit in app.limits.ofProcess where !limit.apply(to: pid) && kill(pid, 0) == 0 {
            logger.warning("worker not limited", metadata: ["worker.pid": "\(pid)"])
        }
        guard meter?.pid != pid else { return }
        meter = WorkerMeter(of: pid, app.limits, log: log.watch()) { [weak self] in
            self?.exceeded($0, pid)
        }
    }

    private func exceeded(_ excess: WorkerMeter.Excess, _ pid: Int32) {
        guard !isEnded, process?.pid == pid || ProcessLock.isHeld(lockPath, by: pid) else { return }
        isEnded = true
        switch excess {
        // What it would print takes memory, and says where it was by chance.
        case .memory(let reason): end(pid, reason, by: SIGKILL)
        case .processor(let reason): end(pid, reason)
        }
    }

    /// Returns what to add to the cause of a death for want of memory; the words are the Swift
    /// runtime's.
    func explanation(of lastWords: String) -> String {
        guard let most = app.limits.memory, lastWords.contains("failed to allocate") else {
            return ""
        }
        return "; \(WorkerMeter.limit(ofMemory: most))"
    }

    // MARK: - Fronts

    /// The fronts that are attached, and those that are on their way.
    var fronts: Int { waitingFronts + (worker?.fronts ?? 0) }

    /// Returns the worker for a front that counts as one while it waits.
    func workerForFront() async throws(Refusal) -> WorkerLink {
        waitingFronts += 1
        defer { waitingFronts -= 1 }
        return try await registeredWorker()
    }
}
