// EventCall: an event that has arrived in a worker, and the way to answer it.
//
// Ownership  keeps its front until the handler has finished.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinLedger
import NapkinProtocol

/// Answers one event of one front; a front that has left gets nothing.
@MainActor
class EventCall: NodeCall {
    private let answeringFront: FrontSeat
    private nonisolated let asker: AttachedFront
    private let pool = IncomingCall.handlers
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor, and no
    // access spans a call of other code.
    @exclusivity(unchecked) private(set) final var header: FrameHeader
    @exclusivity(unchecked) private(set) final var isAnswered = false
    @exclusivity(unchecked) private var isLaunched = false

    init(node: FeatureNode, front: FrontSeat, _ header: FrameHeader) {
        answeringFront = front
        asker = front.attached
        self.header = header
        super.init(node: node)
    }

    /// Reuses a finished call for the next event of its front.
    final func reuse(for node: FeatureNode, _ header: FrameHeader) {
        reuse(for: node)
        self.header = header
        isAnswered = false
        isLaunched = false
        if flight != nil { flight = nil }
    }

    /// Returns the event, if its front belongs to this session.
    func event(of session: SessionHost) -> BegunEvent? {
        guard answeringFront.session === session, !isAnswered else { return nil }
        return BegunEvent(
            front: answeringFront.id, sequence: header.sequence, node: header.node,
            method: header.method)
    }

    /// Returns the event as a receipt names it.
    func input(_ hash: UInt64, _ arguments: [UInt8]?, of node: FeatureNode) -> FlightInput {
        let session = answeringFront.session
        var input = FlightInput(
            .event, session: session.name, node: header.node, feature: node.featureHash,
            method: header.method, front: answeringFront.id, sequence: header.sequence, hash: hash,
            epoch: session.epoch)
        if !node.isSecret(header.method), arguments?.count ?? 0 <= FlightArguments.bytesMax {
            input.arguments = arguments
        }
        return input
    }

    final override nonisolated var caller: AttachedFront? { asker }

    override func launch(_ handling: consuming Handling) {
        isLaunched = true
        if let recorder = answeringFront.stage.recorder {
            launch(handling, recordedBy: recorder)
        } else if pool.hasFree {
            pool.run(self, handling)
        } else {
            super.launch(handling)
        }
    }

    /// The handler begins without `launch`.
    final func begin() { isLaunched = true }

    /// Launches a handler whose changes, like those of tasks that it starts, count as the event's.
    @inline(never)
    private func launch(_ handling: Handling, recordedBy recorder: SessionLedger) {
        recorder.handling(event(of: answeringFront.session)) {
            if pool.hasFree {
                pool.run(self, handling, isOrigin: true)
            } else {
                super.launch(
                    .closure { call in await call.asOrigin { await handling.run(for: call) } })
            }
        }
    }

    final override var runningTask: Task<Void, Never>? {
        pool.task(of: self) ?? super.runningTask
    }

    override func succeed(_ encode: PayloadEncoder) {
        guard claim() else { return }
        answeringFront.reply(to: header.sequence, encode)
    }

    override func succeed() {
        guard claim() else { return }
        answeringFront.reply(to: header.sequence) { (_) throws(CBORError) in }
    }

    override func fail(_ error: any Error) {
        guard claim() else { return }
        if isLaunched { answeringFront.stage.ledger?.handlerFailed() }
        answeringFront.fail(header.sequence, RemoteFault(reporting: error))
    }

    private func claim() -> Bool {
        if isAnswered { return false }
        isAnswered = true
        return true
    }
}

extension RemoteFault {
    /// Creates the fault that a front receives for an event whose handler did not run.
    init(_ reason: SeatStateMachine.EventRefusal, _ header: FrameHeader) {
        switch reason {
        case .readOnly: self.init(.refused, "this front is attached read-only")
        case .noRoom(let reason): self.init(.overloaded, reason)
        case .setAside(let feature, let receipt, let isKept):
            // A person reads it where the press was made; `crash show` has the rest.
            let name = String(feature.map { $0 == "-" ? " " : $0 })
            let fate = isKept ? "nothing was lost" : "this session has begun anew"
            self.init(
                .quarantined,
                "Something went wrong in \(name); \(fate) (receipt \(receipt))",
                receipt: receipt)
        case .resting(let receipt, let seconds):
            self.init(
                .overloaded,
                "\(QuarantineStateMachine.sessionEventsMax) different events of this session have "
                    + "each ended its worker within a minute (the last: receipt \(receipt)); try "
                    + "again in \(seconds) s")
        case .gone: self.init(.gone, "node \(header.node) no longer exists")
        case .excess:
            self.init(
                .overloaded,
                "more than \(Limits.eventWindow) events, or \(Limits.eventWindowBytesMax) bytes of "
                    + "them, are outstanding")
        case .rate(let most):
            self.init(
                .overloaded,
                "this front has sent more than \(most) events in a second, which is the limit in "
                    + "the app's manifest: 'events' in 'limits'")
        }
    }
}
