// ChildCall: a call between a worker and the process of one of its children.
//
// Ownership  the line keeps it until it is answered; it keeps its cause.
// Spec       Protocol/CHILD.md

/// A call that has arrived from the other process.
@MainActor
package final class ChildCall: IncomingCall {
    /// The cause's number in calls of a child's builder or hooks: in the worker, a task waits for
    /// these.
    package static let ofHook = UInt64.max

    /// The number by which the other process knows the call; 0 for a message without an answer.
    package let number: UInt64
    /// This process's call whose handler, in the other process, made this call.
    private let cause: IncomingCall?
    private let standIn: StandIn?
    private let asker: AttachedFront?
    private let answer: @MainActor (Result<Payload, RemoteFault>) -> Void
    private var task: Task<Void, Never>?
    private var identity: TaskIdentity?
    /// Whether it asks fronts.
    package var isQuestion = false
    package private(set) var isAnswered = false
    /// Whether its handler detaches the process that made it. As in one process, the handler then
    /// runs to its end.
    package private(set) var isDetaching = false

    package init(
        _ number: UInt64, cause: IncomingCall? = nil, standIn: StandIn? = nil,
        from asker: AttachedFront? = nil,
        _ answer: @escaping @MainActor (Result<Payload, RemoteFault>) -> Void
    ) {
        (self.number, self.cause, self.standIn) = (number, cause, standIn)
        (self.asker, self.answer) = (asker, answer)
        super.init()
    }

    package nonisolated override var caller: AttachedFront? { asker }

    /// The handler runs as its cause's, so that its changes and its caller belong to the front's
    /// event that led here.
    package override func start(_ handling: consuming Handling) {
        let handling = handling
        let current = cause ?? self
        task = Task.immediate {
            identity = TaskIdentity.current
            await current.asCurrent(for: standIn) { await handling.run(for: self) }
        }
    }

    package func cancel() {
        if !isDetaching { task?.cancel() }
    }

    /// The process that made the call is being detached, perhaps by the call's handler.
    package func callerDetached() {
        if !isAnswered, identity == TaskIdentity.current { isDetaching = true }
    }

    package override func succeed(_ encode: PayloadEncoder) {
        do {
            end(.success(try Payload(encoding: encode)))
        } catch {
            fail(RemoteFault(.failed, "the result cannot be encoded: \(error)"))
        }
    }

    package override func succeed() { end(.success(Payload())) }

    package override func fail(_ error: any Error) { end(.failure(RemoteFault(reporting: error))) }

    private func end(_ result: Result<Payload, RemoteFault>) {
        isAnswered = true
        answer(result)
    }
}

extension Audience {
    /// Runs `body`; its effects and questions reach only this front, if there is one.
    package static func addressing(_ front: UInt64?, _ body: () -> Void) {
        $addressed.withValue(front) { body() }
    }
}
