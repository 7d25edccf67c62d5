// HandlerPool: tasks that run one message's handler after another: events' in a worker, and what is
// presented in a front.
//
// Layer      core, fast path; see README.md.
// Isolation  @MainActor: the loop thread.
// Ownership  the pool keeps its runners, and each of them its task.
// Invariant  a runner that is free waits in its gate; one that was cancelled is never free again.

/// The runners of a process.
@MainActor
package final class HandlerPool {
    /// Handlers that wait beyond that get tasks of their own. Chosen: 2 KiB each.
    package static let runnersMax = 16

    /// A message's handler, and the call that it runs for.
    fileprivate struct Work {
        let call: IncomingCall
        let handler: IncomingCall.Handler
        /// Whether the tasks that the handler starts know the call as their origin.
        let isOrigin: Bool
    }

    private var runners: [HandlerRunner] = []
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and a runner goes on only
    // after the access has ended.
    /// What is about to run: the runner that is waked takes it.
    @exclusivity(unchecked) fileprivate var work: Work?
    /// The first of the runners that wait for a handler, each of which knows the next.
    @exclusivity(unchecked) private var free: HandlerRunner?

    package init() {}

    /// Runners that wait for a handler. For tests.
    package var freeCount: Int { runners.count { $0.isFree } }

    /// Runs the handler up to its first suspension; false, and nothing has been run, where no
    /// runner is free. Then there will be one more from the next turn on.
    ///
    /// - Parameter isOrigin: whether tasks that the handler starts know the call as their origin.
    package func run(
        _ call: IncomingCall, _ handler: @escaping IncomingCall.Handler, isOrigin: Bool = false
    ) -> Bool {
        guard let runner = free.take() else {
            hire()
            return false
        }
        free = runner.nextFree.take()
        work = Work(call: call, handler: handler, isOrigin: isOrigin)
        runner.gate.openNow()
        return true
    }

    /// The task that runs a call's handler, if one of the pool does.
    package func task(of call: IncomingCall) -> Task<Void, Never>? {
        runners.first { $0.running == ObjectIdentifier(call) }?.task
    }

    fileprivate func release(_ runner: HandlerRunner) {
        runner.nextFree = free.take()
        free = runner
    }

    fileprivate func forget(_ runner: HandlerRunner) { runners.removeAll { $0 === runner } }

    /// Has one more runner from the next turn on.
    @inline(never)
    private func hire() {
        guard runners.count < Self.runnersMax else { return }
        let runner = HandlerRunner(pool: self)
        runners.append(runner)
        runner.start()
    }
}

/// One task for many handlers.
@MainActor
private final class HandlerRunner {
    let gate = Gate()
    private let pool: HandlerPool
    @exclusivity(unchecked) private(set) var running: ObjectIdentifier?
    private(set) var task: Task<Void, Never>?
    @exclusivity(unchecked) var nextFree: HandlerRunner?

    init(pool: HandlerPool) {
        self.pool = pool
    }

    var isFree: Bool { running == nil && gate.isOccupied }

    func start() {
        task = Task { await serve() }
    }

    private func serve() async {
        guard let task else { preconditionFailure("a runner's task runs before it is known") }
        // Owned by this function, so that no round retains them.
        let gate = gate
        let pool = pool
        let known = HandlerTask.enter()
        defer { HandlerTask.leave() }
        while true {
            pool.release(self)
            await gate.pass()
            guard let work = pool.work.take() else { continue }
            running = ObjectIdentifier(work.call)
            known.call = work.call
            if work.isOrigin {
                await TaskOrigin.$call.withValue(work.call) { await work.handler(work.call) }
            } else {
                await work.handler(work.call)
            }
            known.call = nil
            work.call.finish()
            running = nil
            // What was cancelled with its node, or by itself, stays cancelled: no other handler
            // may run in this task.
            if task.isCancelled { return pool.forget(self) }
        }
    }
}
