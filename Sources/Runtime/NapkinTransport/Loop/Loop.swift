// Loop: the process's only libuv loop, and its turns.
//
// Isolation  @MainActor: the loop thread, or the host's main queue when embedded. The nonisolated
//            entry points are main(_:), which precedes all isolation, and LoopExecutor's wake-up.
// Ownership  owns the uv_loop_t and its own three handles for the life of the process, and never
//            frees any of them.
// Invariant  a turn runs jobs, then flushes, then polls. The loop blocks only if no job and no
//            flush is left.
// Spec       ARCHITECTURE.md (the loop); docs.libuv.org/en/v1.x/design.html (the I/O loop).

internal import CLibuv
internal import Glibc

/// The only event loop of a process: libuv's loop, which shares its thread with the main actor.
@MainActor
package final class Loop {
    /// Bytes of the read buffer that all channels share. Chosen: the size that libuv suggests.
    nonisolated static let readBufferBytes = 65_536
    /// Descriptors that a process needs beyond those it has. Chosen: six for libuv, and as many for
    /// the program.
    private static let descriptorsMin = 12
    /// Jobs and flush rounds between two polls, so that I/O is never starved. Chosen: 0.1 to 1 ms
    /// at the measured 0.1 to 1 µs for a job.
    static let jobsPerTurnMax = 1024

    /// The process's loop. If the process was not started through ``main(_:)``, the loop is created
    /// on first use and embedded in the main dispatch queue.
    package static let shared = Loop()

    /// The number of open libuv handles other than the loop's own. For tests: 0 when all are
    /// closed.
    package private(set) var liveHandles = 0

    let raw: UnsafeMutablePointer<uv_loop_t>
    let readBuffer: UnsafeMutableRawBufferPointer
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let idle: UnsafeMutablePointer<uv_idle_t>
    private let async: UnsafeMutablePointer<uv_async_t>
    private let executor: LoopExecutor?
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and objects
    // are flushed only after they have left the queue.
    @exclusivity(unchecked) private var pump: EmbeddedPump?
    @exclusivity(unchecked) private var flushes = FlushQueue()
    @exclusivity(unchecked) private var isIdling = false
    /// Whether and when to spin instead of blocking; `nil` on a single processor.
    private var spinning: SpinPolicy?
    @exclusivity(unchecked) private var jobEndActions: [@MainActor () -> Void] = []

    /// Installs the libuv executors and runs `body` as the main task.
    ///
    /// Call it first, in a synchronous `static func main()`, before anything uses an executor. The
    /// process exits through exit(3) with the result of `body`, in [0, 255]. SIGPIPE is ignored
    /// from here on.
    ///
    /// - Parameters:
    ///   - usesPool: whether code that belongs to no actor runs on the platform's threads;
    ///     otherwise the process needs no second thread.
    ///   - body: the program.
    package nonisolated static func main(
        usesPool: Bool = true, _ body: @escaping @MainActor @Sendable () async -> Int32
    ) -> Never {
        LoopExecutors.install(usesPool: usesPool)
        napkin_keep_freed_memory()
        onLoop { _ = Loop.shared }
        Task { @MainActor in exit(await body()) }
        do { try LoopExecutors.main.run() } catch { preconditionFailure("\(error)") }
        preconditionFailure("libuv's loop ended: uv_run returned without a handle to wait for")
    }

    private init() {
        raw = .allocate(capacity: 1)
        prepare = .allocate(capacity: 1)
        idle = .allocate(capacity: 1)
        async = .allocate(capacity: 1)
        readBuffer = .allocate(byteCount: Self.readBufferBytes, alignment: 16)
        executor = LoopExecutors.areInstalled ? LoopExecutors.main : nil
        // libuv aborts if one of its own descriptors gets a number from 0 to 2, or if it has none.
        StandardDescriptors.open()
        Self.mustSucceed(-StandardDescriptors.shortage(of: Self.descriptorsMin))
        // A write to a peer that has gone must fail (EPIPE), not end the process.
        signal(SIGPIPE, SIG_IGN)
        Self.mustSucceed(uv_loop_init(raw))
        raw.pointee.data = readBuffer.baseAddress
        Self.mustSucceed(uv_idle_init(raw, idle))
        Self.mustSucceed(uv_prepare_init(raw, prepare))
        // SAFETY: never released: the loop lives as long as the process.
        prepare.pointee.data = Unmanaged.passRetained(self).toOpaque()
        // The prepare handle also keeps uv_run alive when nothing else is open.
        Self.mustSucceed(uv_prepare_start(prepare, endTurn))
        Self.mustSucceed(
            uv_async_init(raw, async) { _ in onLoop { Loop.shared.executor?.admitForeignJobs() } })
        if let executor {
            spinning = uv_available_parallelism() > 1 ? SpinPolicy() : nil
            // SAFETY: the handle is never closed, and uv_async_send may be called by any thread.
            nonisolated(unsafe) let async = async
            let raw = raw
            executor.connect(
                wake: { uv_async_send(async) }, drive: { uv_run(raw, UV_RUN_DEFAULT) },
                jobEnded: { onLoop { Loop.shared.jobEnded() } })
        } else {
            pump = EmbeddedPump(descriptor: uv_backend_fd(raw)) {
                Loop.shared.turnWithoutBlocking()
            }
        }
    }

    /// Returns freed memory that the process has kept for further large messages. Does nothing if
    /// the loop is embedded: the memory is the host's.
    package func returnFreedMemory() {
        if isInstalled { napkin_return_freed_memory() }
    }

    private static func mustSucceed(_ result: Int32) {
        guard result != 0 else { return }
        let reason = uvError(result, "create", on: "the event loop")
        // If standard error is closed, there is nobody left to tell.
        try? StandardStream.error.write(PrintableText(line: "cannot \(reason)"))
        exit(EX_OSERR)
    }

    /// The loop's clock in milliseconds: monotonic, from an arbitrary start. It advances once a
    /// turn, and when a timer is created.
    package var now: UInt64 { uv_now(raw) }

    /// How jobs have reached the loop since the process started. All counts are zero when embedded.
    package var counters: LoopCounters {
        executor?.counters
            ?? LoopCounters(enqueuedOnLoop: 0, enqueuedByOthers: 0, wakeUps: 0)
    }

    /// Whether this process was started through ``main(_:)``; false means embedded.
    package var isInstalled: Bool { executor != nil }

    /// Calls `flush()` on the object once, after the current batch of jobs and before the loop
    /// blocks.
    ///
    /// The object is kept alive until then. Scheduling it again before that changes nothing; if it
    /// is scheduled from `flush()`, it is flushed again.
    package func scheduleFlush(_ flushable: any Flushable) {
        flushes.insert(flushable)
        pump?.schedule()
    }

    /// Returns when all objects scheduled so far have been flushed.
    package func flushed() async {
        await withCheckedContinuation { scheduleFlush(FlushWaiter($0)) }
    }

    /// Runs `body` and keeps the tasks that it resumes on the loop.
    ///
    /// Put it around `continuation.resume(…)` and nothing else: a task created inside counts as a
    /// resumed one and starts on the loop thread. It has no effect when embedded.
    package static func keepingResumesOnLoop<R, E: Error>(
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        let outer = LoopExecutors.keepsResumes
        LoopExecutors.keepsResumes = true
        defer { LoopExecutors.keepsResumes = outer }
        return try body()
    }

    /// Whether the running code is a task, resumed by the loop, and not a callback of libuv.
    /// False when embedded.
    package var isInJob: Bool { executor?.isInJob ?? false }

    /// Calls `action` once, when the running task has suspended or ended; outside of a task, before
    /// the next one runs. When embedded, the action runs at the end of the turn at the latest.
    package func whenJobEnds(_ action: @escaping @MainActor () -> Void) {
        jobEndActions.append(action)
        executor?.tellsJobEnd = true
        pump?.schedule()
    }

    private func jobEnded() {
        // An action may schedule others.
        while !jobEndActions.isEmpty {
            let actions = jobEndActions
            jobEndActions = []
            for action in actions { action() }
        }
    }

    // MARK: - Turns

    /// The prepare callback, which runs right before the loop blocks in epoll_wait.
    fileprivate func prepareToBlock() {
        var budget = Self.jobsPerTurnMax
        repeat {
            if !jobEndActions.isEmpty { jobEnded() }
            if let executor, executor.hasJobs { budget -= executor.drain(budget: budget) }
            if !flushes.isEmpty {
                flush()
                budget -= 1
            }
        } while hasWork && budget > 0
        // An active idle handle makes the next poll return at once.
        if hasWork != isIdling {
            isIdling = hasWork
            if isIdling { uv_idle_start(idle) { _ in } } else { uv_idle_stop(idle) }
        }
        if !isIdling { spin() }
    }

    /// Spins until input comes, for as long as that pays; libuv's own poll then finds it.
    private func spin() {
        guard spinning != nil, uv_backend_timeout(raw) != 0 else { return }
        let start = MeasuringClock.nanoseconds
        guard spinning?.shouldSpin(now: start) == true else { return }
        var backend = pollfd(fd: uv_backend_fd(raw), events: Int16(POLLIN), revents: 0)
        var (met, now) = (false, start)
        repeat {
            met = poll(&backend, 1, 0) > 0
            now = MeasuringClock.nanoseconds
        } while !met && now - start < SpinPolicy.longest
        spinning?.spun(for: now - start, met: met, now: now)
    }

    private var hasWork: Bool { (executor?.hasJobs ?? false) || !flushes.isEmpty }

    private func flush() {
        if let only = flushes.takeOnly() { return only.flush() }
        for flushable in flushes.takeAll() { flushable.flush() }
    }

    private func turnWithoutBlocking() -> Int32 {
        uv_run(raw, UV_RUN_NOWAIT)
        if !jobEndActions.isEmpty { jobEnded() }
        if !flushes.isEmpty { flush() }
        return uv_backend_timeout(raw)
    }

    // MARK: - Handles

    /// Call after starting, stopping or closing a handle: embedded, libuv needs a turn for it.
    func handlesChanged() { pump?.schedule() }

    func handleDidOpen() { liveHandles += 1 }
    func handleDidClose() { liveHandles -= 1 }
}

/// Not a closure in `Loop.init`, which would be isolated and checked at each turn.
private let endTurn: uv_prepare_cb = { handle in
    onLoopUnchecked(handle?.pointee.data, as: Loop.self, 0) { loop, _ in loop.prepareToBlock() }
}

/// An object that collects output during a turn of the loop and writes it at the turn's end.
@MainActor
package protocol Flushable: AnyObject {
    /// Kept by the loop, false at first: whether the object waits to be flushed.
    var isFlushScheduled: Bool { get set }

    /// Writes the collected output. Called once for each turn in which it was scheduled.
    func flush()
}

/// Resumes a task when it is its turn to be flushed.
package final class FlushWaiter: Flushable {
    package var isFlushScheduled = false
    private let continuation: CheckedContinuation<Void, Never>

    package init(_ continuation: CheckedContinuation<Void, Never>) {
        self.continuation = continuation
    }

    package func flush() { Loop.keepingResumesOnLoop { continuation.resume() } }
}

/// The objects to flush, in the order in which they were scheduled.
@MainActor
struct FlushQueue {
    private var waiting: [any Flushable] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Adds the object unless it is waiting already.
    mutating func insert(_ flushable: any Flushable) {
        guard !flushable.isFlushScheduled else { return }
        flushable.isFlushScheduled = true
        waiting.append(flushable)
    }

    /// Removes and returns the only waiting object; `nil` unless there is exactly one.
    mutating func takeOnly() -> (any Flushable)? {
        guard waiting.count == 1 else { return nil }
        let only = waiting.removeLast()
        only.isFlushScheduled = false
        return only
    }

    /// Removes and returns all waiting objects.
    mutating func takeAll() -> [any Flushable] {
        let all = waiting
        waiting = []
        waiting.reserveCapacity(min(all.count, Self.keptMax))
        for flushable in all { flushable.isFlushScheduled = false }
        return all
    }

    /// Chosen: 16 KiB.
    private static let keptMax = 1024
}

extension MeasuringClock {
    /// Reads a clock, in nanoseconds. Here, since the members of `timespec` are CLibuv's.
    static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
