// HandlerPool: tasks that run one message's handler after another: events' in a worker, and what is
// presented in a front.
//
// Layer      core, fast path; see README.md.
// Isolation  @MainActor: the loop thread.
// Ownership  the pool keeps its runners, and each of them its task.
// Invariant  a runner that is free waits in its gate; one that was cancelled is never free again.

/// A message to handle.
@MainActor
package struct ReceivedMessage {
    let call: IncomingCall
    let receiver: CrossingReceiver
    let method: MethodID
    /// Borrowed until the next message is taken.
    let payload: UnsafeRawBufferPointer

    package init(
        _ call: IncomingCall, _ receiver: CrossingReceiver, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        self.call = call
        self.receiver = receiver
        self.method = method
        self.payload = payload
    }

    /// Handles it at once, in a task of its own or in a runner's.
    package func receive() { receiver.receive(method, payload, call) }
}

/// What has been read, as one message after another.
@MainActor
package protocol MessageSource: AnyObject {
    /// Takes the next message. The one before it has been handled, up to its first suspension.
    func nextMessage() -> ReceivedMessage?
}

/// The runners of a process.
@MainActor
package final class HandlerPool {
    /// Handlers that wait beyond that get tasks of their own. Chosen: 2 KiB each.
    package static let runnersMax = 16

    /// What is to be run, for a call.
    fileprivate struct Work {
        let call: IncomingCall
        let handling: Handling
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
    /// What is being drained; `nil` when it has no more messages.
    @exclusivity(unchecked) private var source: (any MessageSource)?
    /// The runner that takes the source's next message when its handler returns.
    @exclusivity(unchecked) private var puller: HandlerRunner?
    /// The first message of the source, for the runner that is waked.
    @exclusivity(unchecked) private var first: ReceivedMessage?

    package init() {}

    /// Runners that wait for a handler. For tests.
    package var freeCount: Int { runners.count { $0.isFree } }

    /// Whether a runner waits for a handler. If none does, there will be one more from the next
    /// turn on.
    package var hasFree: Bool {
        if free != nil { return true }
        hire()
        return false
    }

    /// Has a runner, of which one is free, handle a message up to the first suspension.
    ///
    /// - Parameter isOrigin: whether tasks that the handler starts know the call as their origin.
    package func run(
        _ call: IncomingCall, _ handling: consuming Handling, isOrigin: Bool = false
    ) {
        guard let runner = takeFree() else { preconditionFailure("no runner is free") }
        work = Work(call: call, handling: handling, isOrigin: isOrigin)
        runner.gate.openNow()
    }

    private func takeFree() -> HandlerRunner? {
        guard let runner = free.take() else { return nil }
        free = runner.nextFree.take()
        return runner
    }

    /// Takes and handles all messages of a source. A runner takes one after another; where a
    /// handler suspends, the next runner goes on. Waking one for each message would cost more than
    /// most handlers.
    package func drain(_ source: any MessageSource) {
        precondition(self.source == nil, "a source is drained while another one is")
        while let message = source.nextMessage() {
            guard let runner = takeFree() else {
                message.receive()
                continue
            }
            self.source = source
            first = message
            puller = runner
            runner.gate.openNow()
            puller = nil
            guard self.source.take() != nil else { return }
        }
    }

    /// Takes the next message; `nil` if there is none, or another runner takes them by now.
    @inline(__always)
    fileprivate func next(for runner: HandlerRunner) -> ReceivedMessage? {
        guard puller === runner else { return nil }
        if let message = first.take() { return message }
        // Read for each message: a runner whose handler has suspended must not keep the source, and
        // with it a connection that may have ended.
        if let message = source?.nextMessage() { return message }
        source = nil
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
                    await TaskOrigin.$call.withValue(work.call) {
                        await work.handling.run(for: work.call)
                    }
                } else {
                    await work.handling.run(for: work.call)
                }
                if ends(work.call, known) { return }
            }
            while let message = pool.next(for: self) {
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
