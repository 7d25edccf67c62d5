// FrontStateMachine: decides how a front handles its worker's frames.
//
// Isolation  value; owned by one front, over all of its connections.
// Invariant  an unexpected frame ends the connection; a frame of another tree is dropped.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

public import NapkinCoding

/// Decides which action a front takes for each frame of its worker.
///
/// - Token: identifies the sender of an event to the driver.
public struct FrontStateMachine<Token> {
    /// The action to take for a frame. Cases refer to its header and payload.
    public enum Action {
        /// The payload is the result of this event. Check `FrontEvents.hasWaiting` and
        /// `isConfirmationDue` before its sender continues.
        case succeed(Token)
        /// This event has failed. Check the same as for `succeed`.
        indirect case fail(Token, Fault)
        /// Nobody waits for this answer any longer, but its arrival may have to be confirmed.
        case answerIgnored
        /// Show the state to the node named in the header.
        case state
        /// Show the effect to the node named in the header.
        case effect
        /// Show the items to the node named in the header; the sequence numbers the first.
        case log
        /// The state is a difference from the newest one: see `deltaReceived`.
        case delta
        /// Apply these operations as a whole; a snapshot replaces the whole tree.
        indirect case apply(Transition, isSnapshot: Bool)
        /// Put the question to the node named in the header.
        case ask
        case askEnded
        /// The front is attached: end these events, resend these frames, then send waiting events.
        indirect case attached(
            Attached, ended: FrontEvents<Token>.Ended, sendAgain: [UInt8])
        /// The payload contains the contracts of the session's features.
        case schemas
        /// Send the front's contracts of these features.
        indirect case sendContracts([String])
        indirect case skipped(Skipped)
        indirect case renamed(Renamed)
        /// Measure for a while how long events take, and report the figures so far.
        indirect case measure(Measure)
        indirect case workflowStep(WorkflowStep)
        indirect case workflowEnded(WorkflowEnded)
        case ignore
        indirect case violation(String)
    }

    /// The front's events.
    public var events = FrontEvents<Token>()
    /// The worker's answer to the attach; `nil` until it has arrived on a new connection.
    public private(set) var attached: Attached?
    /// The epoch of the tree that is shown; 0 until its snapshot has arrived.
    public private(set) var epoch: UInt32 = 0
    private var attach = Attach()
    @usableFromInline var assembly = TransitionAssembly()
    /// The workflows of the connection.
    public private(set) var workflows = WorkflowFrontStateMachine()
    private var wasAskedForContracts = false
    /// The worker's process id, from its `welcome` on the connection.
    public var worker: Int32 = 0

    public init() {}

    // MARK: - Connections

    /// A connection to the worker is established. Returns the request to attach, with the front's
    /// previous identity.
    public mutating func connected(_ attach: Attach) -> Attach {
        let previous = events.connected()
        var attach = attach
        attach.previousFront = previous?.front
        attach.previousEpoch = previous?.epoch
        (self.attach, attached, epoch) = (attach, nil, 0)
        (assembly, workflows, wasAskedForContracts) = (.init(), .init(), false)
        return attach
    }

    /// The connection has ended; see `FrontEvents.connectionEnded`.
    public mutating func connectionEnded(isSilent: Bool = true, isLate: Bool = false) {
        epoch = 0
        events.connectionEnded(isSilent: isSilent, isLate: isLate)
    }

    // MARK: - Frames

    /// A frame has arrived.
    @inlinable
    public mutating func frameReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        switch header.kind {
        case .reply: events.answerReceived(header.sequence)
        case .state where isOfTree(header) && !assembly.isUnderWay: .state
        case .effect where isOfTree(header): .effect
        case .log where isOfTree(header): .log
        default: otherReceived(header, payload)
        }
    }

    /// Returns whether a frame belongs to the tree to which the front is attached.
    @usableFromInline
    func isOfTree(_ header: FrameHeader) -> Bool { header.epoch == attached?.epoch }

    @usableFromInline
    mutating func otherReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        header.action(orElse: Action.violation) { () throws(CBORError) in
            switch header.kind {
            case .fault:
                let fault: Fault = try payload.decode()
                let action = events.answerReceived(header.sequence)
                if case .succeed(let token) = action { return .fail(token, fault) }
                return action
            case .state where isOfTree(header): return largeState(header, payload)
            case .stateDelta where attach.takesDeltas == true:
                return isOfTree(header) ? .delta : .ignore
            case .state, .effect, .log: return .ignore
            case .skipped: return .skipped(try payload.decode())
            case .transition:
                let part: Transition = try payload.decode()
                guard isOfTree(header) else { return .ignore }
                return shown(
                    assembly.partReceived(part, flags: header.flags, byteCount: payload.count))
            case .ask: return isOfTree(header) ? .ask : .ignore
            case .askEnded: return .askEnded
            case .attached where attached == nil:
                let attached: Attached = try payload.decode()
                self.attached = attached
                return events.attachedReceived(attached, by: worker)
            case .schema: return .schemas
            case .renamed where attached != nil:
                let renamed: Renamed = try payload.decode()
                attached?.session = renamed.session
                return .renamed(renamed)
            case .measure where attached != nil: return .measure(try payload.decode())
            case .workflowStep:
                let step: WorkflowStep = try payload.decode()
                return workflows.stepReceived(header.sequence) ? .workflowStep(step) : .ignore
            case .workflowEnded:
                let ended: WorkflowEnded = try payload.decode()
                return workflows.endReceived(header.sequence) ? .workflowEnded(ended) : .ignore
            case .contractWanted where attached == nil && !wasAskedForContracts:
                return contractsWanted(try payload.decode())
            case .pong: return .ignore
            default: return .violation("a \(header.kind) frame from a worker")
            }
        }
    }

    // MARK: - The tree

    /// A state that arrives between two parts of a transition may belong to it.
    private mutating func largeState(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        let key = StateKey(node: header.node, method: header.method)
        let action = assembly.stateReceived(key, payload)
        return action == .deliver ? .state : shown(action)
    }

    private mutating func shown(_ action: TransitionAssembly.Action) -> Action {
        switch action {
        case .apply(let transition, let isSnapshot):
            // From now on a view may send, even while it is being created.
            if isSnapshot { epoch = attached?.epoch ?? 0 }
            return .apply(transition, isSnapshot: isSnapshot)
        case .wait, .deliver: return .ignore
        case .violation(let what): return .violation(what)
        }
    }

    /// Returns the state that arrived as a difference from `old`, the front's newest state.
    ///
    /// Throws if the difference is invalid: end the connection.
    public func deltaReceived(
        _ delta: UnsafeRawBufferPointer, to old: [UInt8]?
    ) throws(CBORError) -> [UInt8] {
        guard let old else { throw CBORError(.custom, "a delta of a state that was never sent") }
        return try CBORDelta.apply(delta, to: old, bytesMax: Limits.frameBytesMax)
    }

    // MARK: - Contracts and workflows

    private mutating func contractsWanted(_ features: [String]) -> Action {
        wasAskedForContracts = true
        if let strange = features.first(where: { attach.contracts[$0] == nil }) {
            return .violation("the contract of \(strange) is wanted, which was not named")
        }
        return .sendContracts(features)
    }

    /// A URL is to be opened. Returns the workflow's number; `nil` if the front is not attached.
    public mutating func openRequested() -> UInt64? {
        attached == nil ? nil : workflows.openRequested()
    }
}

extension FrontStateMachine.Action: Sendable where Token: Sendable {}
extension FrontStateMachine.Action: Equatable where Token: Equatable {}

/// Numbers workflows, and decides which of their reports still matter.
public struct WorkflowFrontStateMachine: Sendable {
    private var newest: UInt64 = 0
    private var running: [UInt64] = []

    public init() {}

    /// A URL is to be opened. Returns the workflow's number, to be sent with it.
    public mutating func openRequested() -> UInt64 {
        newest += 1
        running.append(newest)
        return newest
    }

    /// A workflow is to be cancelled. Returns whether to send the request.
    public func cancelRequested(_ number: UInt64) -> Bool { running.contains(number) }

    /// A step has reported its state. Returns whether its workflow is still running.
    public func stepReceived(_ number: UInt64) -> Bool { running.contains(number) }

    /// A workflow has ended. Returns whether it was still running.
    public mutating func endReceived(_ number: UInt64) -> Bool {
        guard let index = running.firstIndex(of: number) else { return false }
        running.remove(at: index)
        return true
    }
}
