// LoopExecutor: makes the libuv loop the main executor, and keeps resumed tasks on it.
//
// Layer      transport, loop. The one file that knows the runtime's SPI; no libuv.
// Isolation  any thread enqueues; jobs run on the loop thread. Two queues: a plain one that only
//            the loop thread touches, and one behind a Mutex for all other threads (the inbox).
// Ownership  both executors live for ever; the runtime holds them by unowned references.
// Invariant  a job is in exactly one queue; adding a job to an empty inbox wakes the loop.
// Spec       SE pitch "Custom main and global executors"; Swift 6.3.1's _Concurrency interface. On
//            Linux, 6.3.1 ignores a `DefaultExecutorFactory` typealias, hence `_createExecutors`,
//            which must run before anything else asks for an executor.

internal import Glibc
internal import Synchronization
@_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) internal import _Concurrency

/// The main executor. The thread that installs it is the loop thread.
// SAFETY: `local` and `localCount` are touched only on `thread`, which enqueue checks; `wake`,
// `drive` and `unowned` are set once, before another thread can have a job; the rest is constant.
final class LoopExecutor: MainExecutor, @unchecked Sendable {
    private struct Inbox: ~Copyable {
        var jobs = JobQueue()
        var enqueued: UInt64 = 0
        var wakeUps: UInt64 = 0
    }

    private let thread = pthread_self()
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the loop thread, and a job
    // runs only after it has left the queue.
    @exclusivity(unchecked) private var local = JobQueue()
    /// Jobs that belong to no actor and would otherwise run on the pool.
    @exclusivity(unchecked) private var free = JobQueue()
    @exclusivity(unchecked) private var localCount: UInt64 = 0
    private let inbox = Mutex(Inbox())
    /// Whether a job is running.
    @exclusivity(unchecked) private(set) var isInJob = false
    /// Whether to call `jobEnded` when the running job ends.
    @exclusivity(unchecked) var tellsJobEnd = false
    private var jobEnded: () -> Void = {}
    private var wake: @Sendable () -> Void = {}
    private var drive: () -> Void = {}
    private lazy var unowned = asUnownedSerialExecutor()

    /// Connects the executor to its loop. Call once, before the first await.
    ///
    /// - Parameters:
    ///   - wake: makes the loop call ``admitForeignJobs()`` soon; called from any thread.
    ///   - drive: runs the loop until the process ends.
    ///   - jobEnded: called after a job in which `tellsJobEnd` was set.
    func connect(
        wake: @escaping @Sendable () -> Void, drive: @escaping () -> Void,
        jobEnded: @escaping () -> Void
    ) {
        self.wake = wake
        self.drive = drive
        self.jobEnded = jobEnded
    }

    var isLoopThread: Bool { pthread_equal(pthread_self(), thread) != 0 }

    private func preconditionOnLoop() {
        precondition(isLoopThread, "only the loop thread runs or moves the loop's jobs")
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isLoopThread { enqueueLocally(job) } else { enqueueInInbox(job) }
    }

    func enqueueLocally(_ job: UnownedJob) {
        local.append(job)
        localCount &+= 1
    }

    /// A process without a pool runs them as the pool would, but here.
    func enqueueFree(_ job: UnownedJob) { free.append(job) }

    private func enqueueInInbox(_ job: UnownedJob) {
        let mustWake = inbox.withLock { inbox in
            let wasEmpty = inbox.jobs.isEmpty
            inbox.jobs.append(job)
            inbox.enqueued &+= 1
            if wasEmpty { inbox.wakeUps &+= 1 }
            return wasEmpty
        }
        if mustWake { wake() }
    }

    /// Moves the jobs that other threads enqueued to the end of the loop's own queue.
    func admitForeignJobs() {
        preconditionOnLoop()
        inbox.withLock { inbox in
            while let job = inbox.jobs.popFirst() { local.append(job) }
        }
    }

    var hasJobs: Bool { !local.isEmpty || !free.isEmpty }

    /// Runs jobs until none is left or `budget` have run; returns the number of jobs that ran.
    func drain(budget: Int) -> Int {
        preconditionOnLoop()
        var ran = 0
        isInJob = true
        while ran < budget {
            if let job = local.popFirst() {
                job.runSynchronously(on: unowned)
            } else if let job = free.popFirst() {
                job.runSynchronously(on: LoopExecutors.unownedPool)
            } else {
                break
            }
            ran &+= 1
            if tellsJobEnd {
                tellsJobEnd = false
                jobEnded()
            }
        }
        isInJob = false
        return ran
    }

    var counters: LoopCounters {
        inbox.withLock { inbox in
            LoopCounters(
                enqueuedOnLoop: localCount, enqueuedByOthers: inbox.enqueued, wakeUps: inbox.wakeUps
            )
        }
    }

    // The requirements of a main executor.
    func run() throws { drive() }
    func stop() { preconditionFailure("the loop runs as long as its process") }
    var isMainExecutor: Bool { true }
    func checkIsolated() { preconditionOnLoop() }
    func isIsolatingCurrentContext() -> Bool? { isLoopThread }
}

/// The default executor: the platform's pool, except for tasks that the loop resumes.
///
/// The runtime resumes a continuation by enqueueing its task here. From the pool, the task would
/// hop back to its actor, which costs a thread wake-up and an eventfd write for each reply. A job
/// enqueued on the loop thread inside ``Loop/keepingResumesOnLoop(_:)`` therefore stays there. It
/// runs as a job of the main executor: a task of the main actor continues at once, and any other
/// task (an actor's, a `@concurrent` function's) hops to its own executor.
///
/// A process that uses no pool runs all jobs on the loop thread: where the user may have no further
/// thread, the platform's pool blocks the enqueuing thread until there is one.
final class PoolExecutor: TaskExecutor, SchedulingExecutor, Sendable {
    private let loop: LoopExecutor
    private let pool: any TaskExecutor & SchedulingExecutor

    init(loop: LoopExecutor) {
        self.loop = loop
        guard
            let pool = PlatformExecutorFactory.defaultExecutor
                as? any TaskExecutor & SchedulingExecutor
        else { preconditionFailure("the platform's pool cannot schedule; Swift 6.3 can") }
        self.pool = pool
    }

    func enqueue(_ job: consuming ExecutorJob) {
        if loop.isLoopThread && LoopExecutors.keepsResumes {
            loop.enqueueLocally(UnownedJob(job))
        } else if loop.isLoopThread && !LoopExecutors.usesPool {
            loop.enqueueFree(UnownedJob(job))
        } else {
            pool.enqueue(job)
        }
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C
    ) {
        pool.enqueue(job, after: delay, tolerance: tolerance, clock: clock)
    }

    func enqueue<C: Clock>(
        _ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C
    ) {
        pool.enqueue(job, at: instant, tolerance: tolerance, clock: clock)
    }
}

/// The process's pair of executors, and the switch between them.
enum LoopExecutors {
    private struct Factory: ExecutorFactory {
        static var mainExecutor: any MainExecutor { LoopExecutors.main }
        static var defaultExecutor: any TaskExecutor { LoopExecutors.pool }
    }

    /// Created by the first caller of ``install()``, whose thread becomes the loop thread.
    static let main = LoopExecutor()
    private static let pool = PoolExecutor(loop: main)
    static let unownedPool = pool.asUnownedTaskExecutor()

    private enum Installed { case withPool, alone }

    static var areInstalled: Bool { installed != nil }
    static var usesPool: Bool { installed != .alone }

    // SAFETY: written once, by install(), before the process has a second thread of ours.
    nonisolated(unsafe) private static var installed: Installed?

    // SAFETY: read and written on the loop thread only: PoolExecutor checks the thread first, and
    // the only writer, Loop.keepingResumesOnLoop, is isolated to the main actor.
    @exclusivity(unchecked) nonisolated(unsafe) static var keepsResumes = false

    /// Creates both executors of this process. Call it first, in a synchronous `main()`.
    static func install(usesPool: Bool) {
        precondition(!areInstalled, "Loop.main(_:) is called once in a process")
        installed = usesPool ? .withPool : .alone
        _createExecutors(factory: Factory.self)
    }
}

/// A first-in, first-out ring of jobs that allocates nothing in the steady state.
struct JobQueue: ~Copyable {
    /// The number of jobs that fit before the first growth. Chosen: 2 KiB.
    private static let initialCapacity = 256

    private var ring: UnsafeMutablePointer<UnownedJob>
    private var capacity: Int
    private var head = 0
    private(set) var count = 0

    init() {
        capacity = Self.initialCapacity
        ring = .allocate(capacity: capacity)
    }

    deinit { ring.deallocate() }

    var isEmpty: Bool { count == 0 }

    mutating func append(_ job: UnownedJob) {
        if count == capacity { grow() }
        (ring + ((head &+ count) & (capacity &- 1))).initialize(to: job)
        count &+= 1
    }

    mutating func popFirst() -> UnownedJob? {
        guard count > 0 else { return nil }
        let job = ring[head]
        head = (head &+ 1) & (capacity &- 1)
        count &-= 1
        return job
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<UnownedJob>.allocate(capacity: capacity * 2)
        for index in 0..<count {
            (larger + index).initialize(to: ring[(head + index) & (capacity - 1)])
        }
        ring.deallocate()
        ring = larger
        capacity *= 2
        head = 0
    }
}

/// How jobs of the Swift runtime have reached the loop since the process started. All counts are
/// zero when the loop is embedded: jobs then come through the host's main queue.
package struct LoopCounters: Sendable, Equatable {
    /// Jobs enqueued on the loop thread, without a lock.
    package let enqueuedOnLoop: UInt64
    /// Jobs enqueued by other threads, with a lock each.
    package let enqueuedByOthers: UInt64
    /// The number of times that another thread had to wake the loop, with an eventfd write each.
    package let wakeUps: UInt64
}
