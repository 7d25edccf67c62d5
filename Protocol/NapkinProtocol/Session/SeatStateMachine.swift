// SeatStateMachine: what a worker makes of the frames that an attached front sends.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  none of its own; a value owned by one front's seat, over all of its connections.
// Invariant  a frame that is not due ends the connection.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

import NapkinCoding

/// Decides what each frame of a front means to its worker.
public struct SeatStateMachine: Sendable {
    /// Why an event's handler does not run.
    public enum EventRefusal: Equatable, Sendable {
        /// The front is attached to look only.
        case readOnly
        /// The front has more outstanding than its window has.
        case excess
        /// The event is for a node of another tree, or the driver has none of that number.
        case gone
    }

    /// What to do with a frame. Its header and its payload are those that were received.
    public enum Action: Equatable, Sendable {
        /// Run the event's handler; where the node is not there, refuse it as `gone`.
        case run
        /// Report `handlerFinished`, and answer the event with this fault.
        case refuse(EventRefusal)
        /// The event ran before: send its answer again.
        case sendAgain([UInt8])
        /// The event ran before, and its answer is not kept: answer it with an `unknown` fault.
        case answerUnknown
        /// The payload is an answer to the question of the header's number.
        case askReply
        indirect case measured(Measured)
        /// The front leaves for good.
        case leave
        /// Start the workflow of this URL, under the header's number.
        indirect case open(String)
        /// Send this of the header's number; nothing is started.
        indirect case refuseWorkflow(WorkflowEnded)
        /// Cancel the workflow of the header's number.
        case cancelWorkflow
        case ignore
        indirect case violation(String)
    }

    /// The front's events.
    public var events: SessionWorkerStateMachine
    /// The workflows of the connection.
    public var workflows = WorkflowWorkerStateMachine()
    /// What the front asked for when it was attached last.
    public private(set) var attach = Attach()
    private let epoch: UInt32

    /// A front that nobody knows yet.
    ///
    /// - Parameter epoch: the tree's that the front is shown.
    public init(front: UInt64, epoch: UInt32) {
        events = SessionWorkerStateMachine(front: front)
        self.epoch = epoch
    }

    /// Whether questions go to the front, and its answers count.
    public var isAskable: Bool { !attach.isReadOnly && attach.declinesAsks != true }

    // MARK: - Connections

    /// The front has been attached by a new connection. The former one, if any, is over.
    public mutating func attached(_ attach: Attach) {
        self.attach = attach
        events.attached()
        workflows = WorkflowWorkerStateMachine(isReadOnly: attach.isReadOnly)
    }

    // MARK: - Frames

    /// A frame has arrived on the connection.
    @inlinable
    public mutating func frameReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        header.kind == .event
            ? eventReceived(header, byteCount: payload.count) : otherReceived(header, payload)
    }

    @usableFromInline
    mutating func eventReceived(_ header: FrameHeader, byteCount: Int) -> Action {
        switch events.eventReceived(header.sequence, byteCount: byteCount) {
        case .run:
            if attach.isReadOnly { return .refuse(.readOnly) }
            return header.epoch == epoch ? .run : .refuse(.gone)
        case .refuseExcess: return .refuse(attach.isReadOnly ? .readOnly : .excess)
        case .answer(let frame): return .sendAgain(frame)
        case .answerUnknown: return .answerUnknown
        case .ignore: return .ignore
        case .violation(let what): return .violation(what)
        }
    }

    @usableFromInline
    mutating func otherReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        do {
            return try decoded(header, payload)
        } catch {
            return .violation("an unreadable \(header.kind) frame: \(error)")
        }
    }

    private mutating func decoded(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) throws(CBORError) -> Action {
        switch header.kind {
        case .askReply: return isAskable ? .askReply : .ignore
        case .received: return receivedReceived(header.sequence)
        case .measured: return .measured(try payload.decode())
        case .detach: return .leave
        case .openURL: return try openReceived(header.sequence, payload)
        case .cancelWorkflow: return cancelReceived(header.sequence)
        case .pong: return .ignore
        default: return .violation("a \(header.kind) frame from an attached front")
        }
    }

    private mutating func receivedReceived(_ count: UInt64) -> Action {
        events.receivedReceived(count).map { .violation($0) } ?? .ignore
    }

    private mutating func openReceived(
        _ number: UInt64, _ payload: UnsafeRawBufferPointer
    ) throws(CBORError) -> Action {
        let url = try payload.decode(OpenURL.self).url
        switch workflows.openReceived(number) {
        case .run: return .open(url)
        case .refuse(let ended): return .refuseWorkflow(ended)
        case .violation(let what): return .violation(what)
        }
    }

    private mutating func cancelReceived(_ number: UInt64) -> Action {
        switch workflows.cancelReceived(number) {
        case .cancel: .cancelWorkflow
        case .ignore: .ignore
        case .violation(let what): .violation(what)
        }
    }
}
