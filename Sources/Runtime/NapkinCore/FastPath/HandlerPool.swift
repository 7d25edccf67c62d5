// HandlerPool: tasks that run message handlers one after another, in a worker and in a front.
//
// Layer      core, fast path; see README.md.
// Ownership  the pool keeps its runners, and each of them its task.
// Invariant  a runner that is free waits in its gate; one that was cancelled is never free again.

/// A message to handle.
@MainActor
public struct ReceivedMessage {
    /// `nil` when the message has been handled: the next one may use the call again.
    @usableFromInline var unfinished: IncomingCall?
    // SAFETY: the call keeps it, itself or by its node, until the handler begins; whoever calls the
    // receiver keeps it from then on.
    unowned(unsafe) let receiver: CrossingReceiver
    public let method: MethodID
    /// Borrowed until the handler suspends itself for the first time.
    public let payload: UnsafeRawBufferPointer

    package init(
        _ call: IncomingCall, _ receiver: CrossingReceiver, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        unfinished = call
        self.receiver = receiver
        self.method = method
        self.payload = payload
    }

    /// The call that answers the message; `nil` once the message has been handled.
    @inlinable
    public var call: IncomingCall {
        guard let unfinished else { preconditionFailure("the message has been handled") }
        return unfinished
    }

    /// Handles the message at once, in a new task or in a runner's.
    package func receive() { receiver.receive(method, payload, call) }

    /// Replaces this message, which has been handled, with the same receiver's next one.
    ///
    /// Returns whether there was one. If not, return from `handle` without suspending: the runner
    /// has other messages. Without a runner there never is one.
    public mutating func advance(in runner: HandlerRunner?) -> Bool {
        runner?.advance(&self) ?? false
    }
}

/// A source of received messages, read one after another.
///
/// A class rather than a protocol, so that a runner can ask it without retaining it each time.
@MainActor
open class MessageSource {
    package init() {}

    /// Returns the next message. The previous one has been handled up to its first suspension.
    open func nextMessage() -> ReceivedMessage? { nil }
}

@MainActor
package final class HandlerPool {
    /// The most runners; further handlers get tasks of their own. Chosen: a runner has 2 KiB.
    package static let runnersMax = 16

    /// The work of a runner, on behalf of a call.
    fileprivate struct Work {
        let call: IncomingCall
        let handling: Handling
        /// Whether the tasks that the handler starts know the call as their origin.
        let isOrigin: Bool
    }

    private var runners: [HandlerRunner] = []
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and a runner goes on only
    // after the access has ended.
    /// The work for the runner that is about to be woken.
    @exclusivity(unchecked) fileprivate var work: Work?
    /// The head of the list of free runners; each runner links to the next.
    @exclusivity(unchecked) private var free: HandlerRunner?
    // SAFETY: the caller of `drain` keeps its source until `drain` returns, and a runner asks the
    // source only within `drain`.
    /// The source being drained; `nil` when it has no more messages.
    @exclusivity(unchecked) private unowned(unsafe) var source: MessageSource?
    /// The runner that fetches the source's next message when its handler returns.
    @exclusivity(unchecked) private var puller: HandlerRunner?

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

    /// Lets a free runner handle a message up to the first suspension.
    ///
    /// - Parameter isOrigin: whether tasks that the handler starts know the call as their origin.
    package func run(_ call: IncomingCall, _ handling: consuming Handling, isOrigin: Bool = false) {
        guard let runner = takeFree() else { preconditionFailure("no runner is free") }
        work = Work(call: call, handling: handling, isOrigin: isOrigin)
        runner.gate.openNow()
    }

    private func takeFree() -> HandlerRunner? {
        guard let runner = free.take() else { return nil }
        free = runner.nextFree.take()
        return runner
    }

    /// Handles all messages of a source. One runner handles them in turn; when a handler suspends,
    /// the next runner continues. Waking a runner for each message would cost more than most
    /// handlers.
    package func drain(_ source: MessageSource) {
        precondition(self.source == nil, "a source is drained while another one is")
        while let message = source.nextMessage() {
            guard let runner = takeFree() else {
                message.receive()
                continue
            }
            self.source = source
            runner.upcoming = consume message
            puller = runner
            runner.gate.openNow()
            puller = nil
            guard self.source.take() != nil else { return }
        }
    }

    /// Returns the next message; `nil` if there is none, or if another runner now fetches them.
    @inline(__always)
    fileprivate func next(for runner: HandlerRunner) -> ReceivedMessage? {
        guard puller === runner else { return nil }
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
public final class HandlerRunner {
    let gate = Gate()
    private let pool: HandlerPool
    @exclusivity(unchecked) private(set) var running: ObjectIdentifier?
    private(set) var task: Task<Void, Never>?
    @exclusivity(unchecked) fileprivate var nextFree: HandlerRunner?
    /// The message that it begins with, or continues with for another receiver.
    @exclusivity(unchecked) fileprivate var upcoming: ReceivedMessage?
    /// The task that identifies this runner's handlers.
    private let known = HandlerTask()

    init(pool: HandlerPool) { self.pool = pool }

    var isFree: Bool { running == nil && gate.isOccupied }

    func start() {
        task = Task {
            known.enter()
            // Reading a flag costs less than asking the task after each message (measured).
            await withTaskCancellationHandler {
                await serve()
            } onCancel: { [known] in
                known.cancelled()
            }
            HandlerTask.leave()
            pool.forget(self)
        }
    }

    /// Handles messages until the task is cancelled.
    private func serve() async {
        // Owned by this function, so that no round retains them.
        let gate = gate
        let pool = pool
        // Asks the task, not the flag: the canceller may resume the task before it sets the flag.
        while !Task.isCancelled {
            pool.release(self)
            await gate.pass()
            if let work = pool.work.take() {
                begin(work.call)
                if work.isOrigin {
                    await TaskOrigin.$call.withValue(work.call) {
                        await work.handling.run(for: work.call)
                    }
                } else {
                    await work.handling.run(for: work.call)
                }
                end(work.call)
            }
            while let message = next() {
                // It may outlive its node in its handler.
                let receiver = message.receiver
                begin(message.call)
                await receiver.handle(consume message, self)
                precondition(running == nil, "a receiver has to go on while `advance` says so")
                withExtendedLifetime(receiver) {}
            }
        }
    }

    private func next() -> ReceivedMessage? {
        if let message = upcoming.take() { return message }
        return known.isCancelled ? nil : pool.next(for: self)
    }

    @inline(__always)
    private func begin(_ call: IncomingCall) {
        running = ObjectIdentifier(call)
        known.call = call
    }

    /// A handler has returned.
    @inline(__always)
    private func end(_ call: IncomingCall) {
        known.call = nil
        call.finish()
        running = nil
    }

    /// Replaces a handled message with the next one of its receiver. A call that was cancelled,
    /// alone or with its node, stays cancelled: no other handler may run in its task.
    @inline(__always)
    fileprivate func advance(_ message: inout ReceivedMessage) -> Bool {
        if let call = message.unfinished.take() { end(call) }
        guard !known.isCancelled, let next = pool.next(for: self) else { return false }
        guard next.receiver === message.receiver else {
            upcoming = next
            return false
        }
        begin(next.call)
        message = next
        return true
    }
}
