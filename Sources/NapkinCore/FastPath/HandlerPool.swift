// HandlerPool: tasks that run one message's handler after another: events' in a worker, and what is
// presented in a front.
//
// Layer      core, fast path; see README.md.
// Isolation  @MainActor: the loop thread.
// Ownership  the pool keeps its runners, and each of them its task.
// Invariant  a runner that is free waits in its gate; one that was cancelled is never free again.

/// A message to handle.
@MainActor
package struct PulledMessage {
    let receiver: any CrossingReceiver
    let method: MethodID
    /// Borrowed until the next message is taken.
    let payload: UnsafeRawBufferPointer
    let call: IncomingCall

    package init(
        _ receiver: any CrossingReceiver, _ method: MethodID, _ payload: UnsafeRawBufferPointer,
        _ call: IncomingCall
    ) {
        self.receiver = receiver
        self.method = method
        self.payload = payload
        self.call = call
    }

    /// Handles it at once, in a task of its own or in a runner's.
    fileprivate func receive() { receiver.receive(method, payload, call) }
}

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
    /// Takes one message after another; `nil` when no more are there.
    @exclusivity(unchecked) private var source: (() -> Bool)?
    /// The runner that goes on to the source's next message when its handler returns.
    @exclusivity(unchecked) private var puller: HandlerRunner?
    /// Whether a message is being taken that a runner handles afterwards.
    @exclusivity(unchecked) private var isPulling = false
    /// The message that has been taken.
    @exclusivity(unchecked) private var pulled: PulledMessage?

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

    /// Takes and handles all messages of a source. A runner takes one after another; where a
    /// handler suspends, the next runner goes on. Waking one for each message would cost more than
    /// most handlers.
    ///
    /// - Parameter next: takes one message, which it may pass to ``handle(_:)``; false if there was
    ///   none.
    package func drain(_ next: () -> Bool) {
        precondition(source == nil, "a source is drained while another one is")
        while takes(next, mayPull: free != nil) {
            guard let message = pulled else { continue }
            guard let runner = free.take() else {
                pulled = nil
                message.receive()
                continue
            }
            free = runner.nextFree.take()
            if !goesOn(runner, with: next) { return }
        }
    }

    /// Has a runner handle what was pulled, and take what follows until a handler suspends. Returns
    /// whether there may be more.
    @inline(never)
    private func goesOn(_ runner: HandlerRunner, with next: () -> Bool) -> Bool {
        withoutActuallyEscaping(next) { next in
            source = next
            puller = runner
            runner.gate.openNow()
            puller = nil
            defer { source = nil }
            return source != nil
        }
    }

    private func takes(_ next: () -> Bool, mayPull: Bool) -> Bool {
        isPulling = mayPull
        defer { isPulling = false }
        return next()
    }

    /// Handles a message when it has been taken, in a runner; immediately where none is free.
    package func handle(_ message: consuming PulledMessage) {
        guard isPulling else { return message.receive() }
        pulled = message
    }

    /// Handles within `body` what it passes to ``handle(_:)``: the payload is gone afterwards.
    package func atOnce(_ body: () -> Void) {
        let wasPulling = isPulling
        isPulling = false
        body()
        isPulling = wasPulling
    }

    /// Takes messages up to the next that has to be handled; `nil` if there is none, or another
    /// runner takes them by now.
    fileprivate func pull(for runner: HandlerRunner) -> PulledMessage? {
        while puller === runner {
            if let message = pulled.take() { return message }
            guard let next = source else { return nil }
            if !takes(next, mayPull: true) { source = nil }
        }
        return nil
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
        // Owned by this function, so that no round retains them.
        let gate = gate
        let pool = pool
        let known = HandlerTask.enter()
        defer { HandlerTask.leave() }
        while true {
            pool.release(self)
            await gate.pass()
            if let work = pool.work.take() {
                begin(work.call, known)
                if work.isOrigin {
                    await TaskOrigin.$call.withValue(work.call) { await work.handler(work.call) }
                } else {
                    await work.handler(work.call)
                }
                if ends(work.call, known) { return }
            }
            while let message = pool.pull(for: self) {
                begin(message.call, known)
                await message.receiver.handle(message.method, message.payload, message.call)
                if ends(message.call, known) { return }
            }
        }
    }

    @inline(__always)
    private func begin(_ call: IncomingCall, _ known: HandlerTask) {
        running = ObjectIdentifier(call)
        known.call = call
    }

    /// A handler has returned. Returns whether the runner's task ends: what was cancelled with its
    /// node, or by itself, stays cancelled, and no other handler may run in it.
    @inline(__always)
    private func ends(_ call: IncomingCall, _ known: HandlerTask) -> Bool {
        known.call = nil
        call.finish()
        running = nil
        guard task?.isCancelled != false else { return false }
        pool.forget(self)
        return true
    }
}
