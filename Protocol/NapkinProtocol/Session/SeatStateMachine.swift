// SeatStateMachine: decides how a worker handles the frames of an attached front.
//
// Isolation  value; owned by one front's seat, over all of its connections.
// Ownership  keeps answers that the front may not have received, within the limits of section 12.
// Invariant  an unexpected frame ends the connection; an event's handler is started at most once,
//            in the order of the numbers. A workflow runs and ends at most once; at most
//            `Limits.workflowsMax` are under way; none outlives its connection.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

import NapkinCoding

/// Decides which action a worker takes for each frame of a front.
public struct SeatStateMachine: Sendable {
    /// The reason why an event's handler does not run.
    public enum EventRefusal: Equatable, Sendable {
        /// The front is attached read-only.
        case readOnly
        /// The front has more events outstanding than its window allows.
        case excess
        /// The event is for a node of another tree, or for an unknown node.
        case gone
        /// The front has sent more events in a second than the app allows, which is this many.
        case rate(Int)
        /// The event's changes could not be kept, for this reason.
        case noRoom(String)
        /// The feature's handler has ended its worker twice: the receipt of the second death.
        case setAside(by: String, receipt: UInt64, isKept: Bool)
        /// Several events of the session have ended its worker lately: the receipt of the last
        /// death, and when the session's events run again.
        case resting(receipt: UInt64, seconds: UInt64)
    }

    /// The action to take for a frame. Cases refer to its header and payload.
    public enum Action: Equatable, Sendable {
        /// Run the event's handler; if the node does not exist, refuse the event as `gone`.
        case run
        /// Run the event's handler if the node is one of the front's own pages; otherwise refuse
        /// the event as `readOnly`.
        case runOnPage
        /// Report `handlerFinished` at once, and answer the event with this refusal's fault.
        case refuse(EventRefusal)
        /// The event has already run: resend its answer.
        case sendAgain([UInt8])
        /// The event has already run and its answer was not kept: answer it with an `unknown`
        /// fault, and report that by `answerEncoded`.
        case answerUnknown
        /// Cancel the handler of the event with the header's number.
        case cancelEvent
        /// The payload answers the question with the header's number.
        case askReply
        indirect case measured(Measured)
        /// The front leaves the session for good.
        case leave
        /// Start the workflow of this URL under the header's number.
        indirect case open(String)
        /// Send this under the header's number; nothing is started.
        indirect case refuseWorkflow(WorkflowEnded)
        /// Cancel the workflow with the header's number.
        case cancelWorkflow
        /// Nothing is due: an event's answer will come, or is on its way on this connection.
        case ignore
        indirect case violation(String)
    }

    /// The front's events.
    public var events: SeatEvents
    /// The workflows of the present connection.
    public var workflows = WorkflowWorkerStateMachine()
    /// The front's latest request to be attached.
    public private(set) var attach = Attach()
    /// The limit on events in a second; `nil` for no limit.
    public private(set) var rate: EventRate?
    private let epoch: UInt32

    /// Creates the seat of a new front.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the tree that the front is shown.
    ///   - rate: the limit on events in a second; `nil` for no limit.
    public init(front: UInt64, epoch: UInt32, rate: EventRate? = nil) {
        self.rate = rate
        events = SeatEvents(front: front)
        self.epoch = epoch
    }

    /// Whether the session asks the front questions and accepts its answers.
    public var isAskable: Bool { !attach.isObserver && attach.declinesAsks != true }

    // MARK: - Connections

    /// The front has been attached on a new connection, which replaces any former one.
    public mutating func attached(_ attach: Attach) {
        self.attach = attach
        events.attached()
        workflows = WorkflowWorkerStateMachine(isReadOnly: attach.isObserver)
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
        let action = events.eventReceived(header.sequence, byteCount: byteCount)
        switch action {
        case .refuse where attach.isObserver: return .refuse(.readOnly)
        case .run where header.epoch != epoch: return .refuse(attach.isObserver ? .readOnly : .gone)
        case .run where attach.isObserver && header.method != MethodID.readLog.rawValue:
            return .runOnPage
        default: return action
        }
    }

    /// Applies the rate limit, if there is one, to a frame's action at `now`, in milliseconds.
    public mutating func limited(_ action: Action, at now: UInt64) -> Action {
        switch action {
        case .run, .runOnPage:
            guard let most = rate?.most, rate?.takes(at: now) == false else { return action }
            return .refuse(.rate(most))
        default: return action
        }
    }

    @usableFromInline
    mutating func otherReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        header.action(orElse: Action.violation) { () throws(CBORError) in
            switch header.kind {
            case .cancelEvent: return events.cancelReceived(header.sequence)
            case .askReply: return isAskable ? .askReply : .ignore
            case .received: return events.receivedReceived(header.sequence)
            case .measured: return .measured(try payload.decode())
            case .detach: return .leave
            case .openURL:
                let url = try payload.decode(OpenURL.self).url
                return workflows.openReceived(header.sequence, url)
            case .cancelWorkflow: return workflows.cancelReceived(header.sequence)
            case .pong: return .ignore
            default: return .violation("a \(header.kind) frame from an attached front")
            }
        }
    }
}

/// Decides which workflows run, and which of their reports are sent.
public struct WorkflowWorkerStateMachine: Sendable {
    private let isReadOnly: Bool
    private var newest: UInt64 = 0
    private var running: [UInt64] = []
    private var isConnected = true

    public init(isReadOnly: Bool = false) { self.isReadOnly = isReadOnly }

    /// The number of workflows under way.
    public var count: Int { running.count }

    /// The front asks to open a URL.
    public mutating func openReceived(_ number: UInt64, _ url: String) -> SeatStateMachine.Action {
        guard number > newest else {
            return .violation("openURL \(number) after \(newest): its numbers ascend")
        }
        guard isConnected else { return .refuseWorkflow(WorkflowEnded(.cancelled)) }
        newest = number
        if isReadOnly {
            return .refuseWorkflow(WorkflowEnded(.refused, "this front is attached read-only"))
        }
        guard running.count < Limits.workflowsMax else {
            let what = "\(Limits.workflowsMax) workflows of this front are under way"
            return .refuseWorkflow(WorkflowEnded(.overloaded, "\(what): wait for one to end"))
        }
        running.append(number)
        return .open(url)
    }

    /// The front cancels a workflow, which may have ended already.
    public func cancelReceived(_ number: UInt64) -> SeatStateMachine.Action {
        guard number > 0, number <= newest else {
            return .violation("cancelWorkflow \(number), which was never opened")
        }
        return running.contains(number) ? .cancelWorkflow : .ignore
    }

    /// A step has reported its state. Returns whether to send it.
    public func stepReported(_ number: UInt64) -> Bool { running.contains(number) }

    /// A workflow has ended, or could not be started. Returns whether to send its end.
    public mutating func ended(_ number: UInt64) -> Bool {
        guard let index = running.firstIndex(of: number) else { return false }
        running.remove(at: index)
        return true
    }

    /// The connection has ended. Returns the workflows to cancel, since their reports would reach
    /// nobody.
    public mutating func connectionEnded() -> [UInt64] {
        isConnected = false
        defer { running = [] }
        return running
    }
}
