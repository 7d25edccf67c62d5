// DirectPort: carries a view's events to its interactor in the same process.

import NapkinCore

/// One node's port for events.
@MainActor
final class DirectPort: EventPort, ValuePort {
    private let node: UInt32
    private let front: DirectFront
    private let stage: DirectStage
    private var isClosed = false

    init(_ node: UInt32, _ front: DirectFront, _ stage: DirectStage) {
        self.node = node
        self.front = front
        self.stage = stage
    }

    func close() { isClosed = true }

    var values: (any ValuePort)? { self }

    func send(_ message: any CrossingMessage) async throws(RemoteFault) -> any Sendable {
        if isClosed { throw RemoteFault(.gone, "node \(node) is not shown any more") }
        return try await front.send(message, to: node)
    }

    func begin(
        _ method: MethodID, _ encode: PayloadEncoder
    ) throws(RemoteFault) -> PendingEvent {
        // Not a view's method, but one that any node understands, such as `dismiss()`.
        if isClosed { throw RemoteFault(.gone, "node \(node) is not shown any more") }
        let payload: Payload
        do {
            payload = try Payload(encoding: encode)
        } catch {
            throw RemoteFault(.unimplemented, "the arguments cannot be encoded: \(error)")
        }
        let (event, pending) = (DirectEvent(), PendingEvent())
        try front.begin(node, event, isReading: method.isReading) { node, call in
            payload.bytes.withUnsafeBytes { node.receive(method, $0, call) }
        }
        event.ended = { outcome in
            switch outcome {
            case .success(let value): pending.succeed(with: value as? Payload ?? Payload())
            case .failure(let fault): pending.fail(fault)
            }
        }
        Task { pending.watch { event.giveUp($0) } }
        return pending
    }

    func failed(_ method: MethodID, _ fault: RemoteFault) {
        if fault.code == .cancelled, Task.isCancelled { return }
        front.journal.note("event failed: \(fault.code)")
    }
}

/// An event from its call to its end, whichever comes first: the handler's answer, or that its
/// sender waits no longer.
@MainActor
final class DirectEvent {
    /// The call, once there is credit for it.
    var call: DirectCall?
    private var known: DirectCall.Outcome?
    /// Told the outcome once.
    var ended: ((DirectCall.Outcome) -> Void)? {
        didSet { if let known { ended.take()?(known) } }
    }

    var hasEnded: Bool { known != nil }

    func outcome() async throws(RemoteFault) -> any Sendable {
        var outcome: DirectCall.Outcome?
        await CallLimit.watch {
            outcome = await withCheckedContinuation { continuation in
                ended = { continuation.resume(returning: $0) }
            }
        } giveUp: { [self] reason in
            giveUp(reason)
        }
        guard let outcome else { preconditionFailure("an event ended without an outcome") }
        return try outcome.get()
    }

    /// Ends the event for its sender, and cancels its handler.
    func giveUp(_ reason: RemoteFault) {
        let call = call
        end(.failure(reason))
        call?.cancel()
    }

    /// Only the first outcome counts.
    func end(_ outcome: DirectCall.Outcome) {
        guard known == nil else { return }
        known = outcome
        call = nil
        ended.take()?(outcome)
    }
}

/// An event whose handler runs.
@MainActor
final class DirectCall: NodeCall {
    typealias Outcome = Result<any Sendable, RemoteFault>

    private var answer: ((Outcome) -> Void)?
    private nonisolated let asker: AttachedFront

    init(
        _ node: FeatureNode, _ asker: AttachedFront, _ answer: @escaping (Outcome) -> Void
    ) {
        self.answer = answer
        self.asker = asker
        super.init(node: node)
    }

    override nonisolated var caller: AttachedFront? { asker }

    override func succeed() { end(.success(())) }

    override func succeed(value: any Sendable, _ encode: PayloadEncoder) { end(.success(value)) }

    override func succeed(_ encode: PayloadEncoder) {
        do {
            end(.success(try Payload(encoding: encode)))
        } catch {
            fail(error)
        }
    }

    override func fail(_ error: any Error) { end(.failure(RemoteFault(reporting: error))) }

    /// Only the first answer counts.
    private func end(_ outcome: Outcome) { answer.take()?(outcome) }
}

/// A question that a view answers.
@MainActor
final class DirectAsk: IncomingCall {
    private let id: UInt64
    private let feature: FeatureID
    private let front: DirectFront
    private let stage: DirectStage

    init(_ id: UInt64, of feature: FeatureID, _ front: DirectFront, _ stage: DirectStage) {
        self.id = id
        self.feature = feature
        self.front = front
        self.stage = stage
    }

    override func succeed() { answer(()) }

    override func succeed(value: any Sendable, _ encode: PayloadEncoder) { answer(value) }

    /// A front that is away cannot answer: nobody would receive the answer.
    private func answer(_ value: any Sendable) {
        if front.isConnected { stage.answered(id, by: front, value) }
    }

    override func fail(_ error: any Error) {
        // Without an answer the question stays open for the other fronts.
        Anomaly.report(.unpresentable(feature: feature, "\(error)"))
    }
}
