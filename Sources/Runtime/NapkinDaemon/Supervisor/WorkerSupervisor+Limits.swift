// WorkerSupervisor+Limits: limits a worker's resources and its number of fronts.
//
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import Glibc
import Logging
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension AppLimits {
    /// Bytes that a worker may have beyond its memory limit, so that only a burst between two
    /// checks fails there. Chosen: thirty thread stacks, with little resident memory, take that.
    private static let reserveBytes = 256 * 1024 * 1024

    /// The limits that the kernel enforces.
    fileprivate var ofProcess: [ProcessLimit] {
        [
            .core(core ?? 0), files.map { .files($0) },
            memory.map { .data($0 + Self.reserveBytes) },
        ].compactMap(\.self)
    }

    /// The arguments for limits that the worker enforces itself.
    var arguments: [String] { events.map { ["--worker-events", "\($0)"] } ?? [] }
}

extension WorkerSupervisor {
    /// Limits a process that was just started or that registers: it may have outlived an earlier
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
        // A backtrace would take memory, and show an arbitrary place.
        case .memory(let reason): end(pid, reason, by: SIGKILL)
        case .processor(let reason): end(pid, reason)
        }
    }

    /// Returns an addition to the cause of a death for lack of memory, recognized by the Swift
    /// runtime's words.
    func explanation(of lastWords: String) -> String {
        guard let most = app.limits.memory, lastWords.contains("failed to allocate") else {
            return ""
        }
        return "; \(WorkerMeter.limit(ofMemory: most))"
    }

    // MARK: - Fronts

    /// The number of fronts that are attached or on their way.
    var fronts: Int { waitingFronts + (worker?.fronts ?? 0) }

    /// Returns the worker for a front, which counts toward the limit while it waits.
    func workerForFront() async throws(Refusal) -> WorkerLink {
        waitingFronts += 1
        defer { waitingFronts -= 1 }
        return try await registeredWorker()
    }
}
