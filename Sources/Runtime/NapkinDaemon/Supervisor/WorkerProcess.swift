// WorkerProcess: the process of one worker, whether this napkind or an earlier one started it.
//
// Ownership  owned by the worker's supervisor.
// Invariant  at most one process is this worker: its lock decides that, not our memory.

import Glibc
import Logging
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension Duration {
    /// The present time on the clock of the supervision's machines.
    static var monotonic: Duration { .nanoseconds(Int64(MeasuringClock.nanoseconds)) }
}

extension AppLimits {
    /// Bytes between the memory limit, which napkind checks, and the kernel's: only a burst between
    /// two checks reaches it. Chosen: thirty thread stacks reserve as much and use little of it.
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

/// Limits, measures and kills a worker's process.
@MainActor
final class WorkerProcess {
    /// The time between two measurements. Chosen: one takes 18 µs (measured).
    private static let measuringInterval = Duration.seconds(1)
    /// The measurements of memory that are kept. Chosen: a minute's.
    private static let residentsMax = 60
    private static let window = UsageWindow(
        milliseconds: UInt64(AppLimits.processorWindowSeconds) * 1000)
    /// The time that a process has to print its backtrace. Chosen: a debug build takes 0.5 s, and
    /// more than 2 s on a very busy machine.
    private static let traceTime = Duration.seconds(5)
    /// The time between two checks of the lock of a worker that is no child. Chosen: a person who
    /// waits for its end does not notice it.
    private static let checkInterval = Duration.milliseconds(20)
    /// How long such a worker may take after SIGKILL. Chosen: it may have much memory to give back.
    private static let deathTime = Duration.seconds(5)

    private let lockPath: String
    private let log: WorkerLog
    private let logger: Logger
    /// The process, if this napkind has started it.
    private(set) var child: ChildProcess?
    /// The program of the child.
    private var program: ProgramFile?
    /// The build id of the program's file.
    private(set) var build: String?
    /// The memory in which the process notes what it runs.
    private var flight: SharedMemory?
    /// The notes that the process left; `nil` while it lives, and once they have been kept.
    private(set) var recording: FlightRecording?
    /// The pid of the newest worker, until its leftover processes have been ended.
    private(set) var newest: Int32?
    /// The measured process, whether or not its loop answers.
    private var measured: Int32?
    private var measuring: LoopTimer?
    private var processor = WorkerProcess.window
    /// Its resident memory at the newest measurements, oldest first; kept after its end.
    private(set) var residents: [UInt64] = []
    /// The processor time of its children's processes, and those that were ended for a limit.
    private var children: [Int32: UsageWindow] = [:]
    private var excesses: [Int32: WorkerExcess] = [:]
    /// Keeps the log small while the process may not do so itself.
    private var logWatch: LogWatch?

    init(lockPath: String, log: WorkerLog, logger: Logger) {
        (self.lockPath, self.log, self.logger) = (lockPath, log, logger)
    }

    /// Whether a process is this worker, which napkind may not know yet.
    var lives: Bool { ProcessLock.isHeld(lockPath) }

    func lives(as pid: Int32) -> Bool { ProcessLock.isHeld(lockPath, by: pid) }

    /// Finds the worker of an earlier napkind that has not registered.
    func findHolder() -> Int32? {
        guard let pid = ClaimedName.holder(of: lockPath), pid > 1 else { return nil }
        newest = pid
        return pid
    }

    isolated deinit { measuring?.cancel() }

    // MARK: - Beginning

    /// - Parameter onExcess: as for `began`.
    func started(
        _ child: ChildProcess, of app: HostedApp,
        noting flight: (memory: SharedMemory?, build: String?),
        onExcess: @escaping (WorkerExcess) -> Void
    ) {
        (self.child, self.flight, build) = (child, flight.memory, flight.build)
        (program, recording) = (ProgramFile(of: app.manifest), nil)
        began(child.pid, of: app, onExcess: onExcess)
    }

    /// Limits a process that was just started or that registers. A registering process may have
    /// outlived an earlier napkind, or raised its number of files just before it was limited.
    ///
    /// - Parameter onExcess: called at each check while the process exceeds a limit.
    func began(
        _ pid: Int32, of app: HostedApp, onExcess: @escaping (WorkerExcess) -> Void
    ) {
        newest = pid
        for limit in app.limits.ofProcess
        where !limit.apply(to: pid) && Glibc.kill(pid, 0) == 0 {
            logger.warning("worker not limited", metadata: ["worker.pid": "\(pid)"])
        }
        guard measured != pid else { return }
        if child?.pid != pid {
            recording = nil
            flight = SharedMemory(
                of: pid, descriptor: WorkerOptions.flightDescriptor, bytes: FlightMemory.bytes)
            build = BuildID.of("/proc/\(pid)/exe")
        }
        stopMeasuring()
        (measured, logWatch, residents) = (pid, log.watch(), [])
        let limits = app.limits
        guard limits.memory != nil || limits.processor != nil else { return }
        measuring = LoopTimer(after: .zero, repeating: Self.measuringInterval) { [weak self] in
            guard let self, let usage = ProcessFigures(of: pid) else { return }
            let now = Loop.shared.now
            residents = residents.suffix(Self.residentsMax - 1) + [UInt64(usage.bytes)]
            let milliseconds = processor.sampled(usage.processorMilliseconds, at: now)
            let excess = WorkerExcess(bytes: usage.bytes, milliseconds: milliseconds, limits)
            if let excess { return onExcess(excess) }
            measureChildren(of: pid, beside: usage.bytes, milliseconds, at: now, limits)
        }
    }

    /// If the worker and its children's processes together exceed a limit, ends the child that uses
    /// most. The worker survives, and sees that process end.
    private func measureChildren(
        of worker: Int32, beside bytes: Int, _ milliseconds: UInt64, at now: UInt64,
        _ limits: AppLimits
    ) {
        let program = ProcessStatus.program(of: worker)
        // Other programs that the worker has started are not limited.
        let processes = ProcessStatus.children(of: worker)
            .filter { ProcessStatus.program(of: $0) == program }
        children = children.filter { processes.contains($0.key) }
        let uses = processes.compactMap { pid in
            ProcessFigures(of: pid).map { usage in
                let time = children[pid, default: Self.window]
                    .sampled(usage.processorMilliseconds, at: now)
                return (pid: pid, bytes: usage.bytes, milliseconds: time)
            }
        }
        let excess = WorkerExcess(
            bytes: uses.reduce(bytes) { $0 + $1.bytes },
            milliseconds: uses.reduce(milliseconds) { $0 + $1.milliseconds }, limits)
        let most: Int32? =
            switch excess {
            case .memory: uses.max { $0.bytes < $1.bytes }?.pid
            case .processor: uses.max { $0.milliseconds < $1.milliseconds }?.pid
            case nil: nil
            }
        guard let most else { return }
        excesses[most] = excess
        Glibc.kill(most, SIGKILL)
    }

    /// Returns, once, the limit for which the child's process was ended; `nil` if it was not.
    func takeExcess(of child: Int32) -> WorkerExcess? { excesses.removeValue(forKey: child) }

    private func stopMeasuring() {
        measuring?.cancel()
        (measured, measuring, logWatch) = (nil, nil, nil)
        processor = Self.window
        (children, excesses) = ([:], [:])
    }

    /// Whether the running program differs from the next worker's; `nil` if that is unknown.
    func isOutdated(_ pid: Int32, for manifest: AppManifest) -> Bool? {
        guard let next = ProgramFile(of: manifest) else { return nil }
        return child != nil ? program.map { $0 != next } : next.isNewer(thanThatOf: pid)
    }

    // MARK: - Ending

    /// Handles the end of the process.
    ///
    /// - Parameter status: `nil` if it was no child.
    func ended(with status: ChildProcess.ExitStatus? = nil) {
        child = nil
        let signal: Int32 = if case .signalled(let signal) = status { signal } else { 0 }
        recording = FlightRecording(flight.take()?.copy() ?? [], endedBy: signal)
        stopMeasuring()
    }

    /// Returns, once, what the process noted before it ended.
    func takeRecording() -> FlightRecording? { recording.take() }

    /// Kills the processes that a dead worker has left in its group. Does nothing if a living
    /// process has its number: then the group is no longer the dead worker's.
    func endChildren() {
        guard let dead = newest.take(), dead > 1, ProcessStatus(of: dead)?.isDead != false else {
            return
        }
        Glibc.kill(-dead, SIGKILL)
    }

    /// Kills the worker; if it is to print a backtrace and takes too long, kills it a second time.
    func kill(_ pid: Int32, printsTrace: Bool) {
        Glibc.kill(pid, printsTrace ? SIGABRT : SIGKILL)
        guard printsTrace else { return }
        _ = LoopTimer(after: Self.traceTime) { [weak self] in
            guard let self else { return }
            // A child is ours until its end is reported; another worker holds the lock for life.
            if let child {
                if child.pid == pid { child.kill(SIGKILL) }
            } else if lives(as: pid) {
                Glibc.kill(pid, SIGKILL)
            }
        }
    }

    /// Returns when a worker that is no child is gone; kills it at `deadline`.
    func untilGone(_ pid: Int32, deadline: ContinuousClock.Instant) async {
        while .now < deadline + Self.deathTime, lives {
            if .now >= deadline, lives(as: pid) { Glibc.kill(pid, SIGKILL) }
            await LoopTimer.wait(Self.checkInterval)
        }
        endChildren()
    }
}

extension WorkerDeath.Cause {
    init(_ status: ChildProcess.ExitStatus) {
        switch status {
        case .exited(let code): self = .exited(code: code)
        case .signalled(let signal): self = .signalled(signal)
        }
    }
}
