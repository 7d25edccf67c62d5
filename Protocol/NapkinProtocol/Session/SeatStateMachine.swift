// SeatStateMachine: decides what a worker does with the frames of an attached front.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  none of its own; a value owned by one front's seat, over all of its connections.
// Ownership  keeps answers that the front may not have received, within the limits of section 12.
// Invariant  an unexpected frame ends the connection; an event's handler is started at most once,
//            in the order of the numbers.
// Spec       Protocol/SPEC.md, sections 6 (Messages), 8 (Flow control) and 9 (Resume)

import NapkinCoding

/// Decides what each frame of a front means to its worker.
public struct SeatStateMachine: Sendable {
    /// The reason why an event's handler does not run.
    public enum EventRefusal: Equatable, Sendable {
        /// The front is attached read-only.
        case readOnly
        /// The front has more events outstanding than its window allows.
        case excess
        /// The event is for a node of another tree, or for an unknown node.
        case gone
        /// The front has sent more events in a second than so many, which the app allows.
        case rate(Int)
    }

    /// What to do with a frame. Its header and payload are the received ones.
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
        /// The payload answers the question of the header's number.
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

    /// The methods `napkin:read(log:before:count:)` and `napkin:read(blob:from:)`, which change
    /// nothing.
    static let readings: [UInt32] = [0x862E_ACBF, 0x3725_C7A6]

    /// The front's events.
    public var events: SeatEvents
    /// The workflows of the present connection.
    public var workflows = WorkflowWorkerStateMachine()
    /// What the front asked for when it was last attached.
    public private(set) var attach = Attach()
    /// How many events in a second run; `nil` for any number.
    public private(set) var rate: EventRate?
    private let epoch: UInt32

    /// Creates the seat of a new front.
    ///
    /// - Parameters:
    ///   - epoch: the epoch of the tree that the front is shown.
    ///   - rate: how many events in a second run; `nil` for any number.
    public init(front: UInt64, epoch: UInt32, rate: EventRate? = nil) {
        self.rate = rate
        events = SeatEvents(front: front)
        self.epoch = epoch
    }

    /// Whether the front is asked questions, and its answers count.
    public var isAskable: Bool { !attach.isObserver && attach.declinesAsks != true }

    // MARK: - Connections

    /// The front has been attached by a new connection, which replaces any former one.
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
        case .run where attach.isObserver && !Self.readings.contains(header.method):
            return .runOnPage
        default: return action
        }
    }

    /// Returns what to do with a frame at `now`, in milliseconds, if the rate is limited.
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

/// An answer's frame, with the number of the event that it answers.
struct KeptAnswer: Hashable, Sendable {
    var sequence: UInt64
    var frame: [UInt8]
}

/// Starts each event once, and resends answers that may have been lost.
public struct SeatEvents: Hashable, Sendable {
    /// What to do with a frame.
    public typealias Action = SeatStateMachine.Action

    /// What to do with the answer of a finished handler. In every case but the last, encode it and
    /// report `answerEncoded`.
    public enum FinishAction: Equatable, Sendable {
        case send
        /// The front is away: keep the answer.
        case keep
        /// No such handler is running.
        case ignore
    }

    private struct Connection: Hashable, Sendable {
        /// The number of the newest event that has arrived.
        var newest: UInt64 = 0
        /// How many answers were sent, how many of these are no longer in the log, and how many the
        /// front has confirmed.
        var sent: UInt64 = 0
        var forgotten: UInt64 = 0
        var confirmed: UInt64 = 0

        /// Counts an answer that is sent now, and returns its place.
        mutating func countSent() -> UInt64 {
            sent += 1
            return sent
        }

        /// Counts the oldest answer in the log, which is forgotten now, and returns its place.
        mutating func countForgotten() -> UInt64 {
            forgotten += 1
            return forgotten
        }
    }

    public let front: UInt64
    private let window: Int
    private var answersMax: Int
    private let answersBytesMax: Int
    /// The number of the newest event that was started or refused.
    public private(set) var started: UInt64 = 0
    /// Running handlers, with the bytes of their events.
    private var running = SequenceTable<Int>()
    private var runningBytes = 0
    /// The answers sent on this connection, with the numbers of their events, by their place in the
    /// order of sending, which counts from 1. The buffer may keep only a page, since many fronts
    /// are idle at once. Chosen.
    private var log = KeptFrames<UInt64>(garbageBytesMax: 4096)
    /// Finished answers that were not sent on this connection, in ascending order.
    private var unclaimed: [KeptAnswer] = []
    private var connection: Connection?

    /// Creates the events of a new front.
    public init(
        front: UInt64, window: Int = Limits.eventWindow, answersMax: Int = Limits.answersKeptMax,
        answersBytesMax: Int = Limits.answersKeptBytesMax
    ) {
        self.front = front
        self.window = window
        self.answersMax = answersMax
        self.answersBytesMax = answersBytesMax
    }

    /// Handlers that have started and not yet finished.
    public var runningEvents: Int { running.count }

    /// The number of answers kept, sent or not.
    public var keptAnswers: Int { log.count + unclaimed.count }

    /// The bytes of the kept answers.
    public var keptAnswerBytes: Int {
        unclaimed.reduce(log.liveBytes) { $0 + $1.frame.count }
    }

    public var isConnected: Bool { connection != nil }

    // MARK: - Connections

    /// The front has been attached by a new connection, which replaces any former one.
    public mutating func attached() {
        connectionEnded()
        connection = Connection()
    }

    /// The front's connection has ended. Answers that were sent on it may not have arrived.
    public mutating func connectionEnded() {
        guard connection != nil else { return }
        connection = nil
        if log.count > 0 {
            // Sorted once: inserting them one by one takes quadratic time, each time a connection
            // is lost.
            unclaimed += log.elements.map(KeptAnswer.init)
            unclaimed.sort { $0.sequence < $1.sequence }
            trimUnclaimed()
        }
        log = KeptFrames(garbageBytesMax: log.garbageBytesMax)
    }

    /// The front has left for good, or has been away for too long: its answers are no longer kept.
    public mutating func forgotten() {
        answersMax = 0
        trimUnclaimed()
    }

    // MARK: - Events

    /// An event has arrived, with this many bytes of arguments.
    public mutating func eventReceived(_ sequence: UInt64, byteCount: Int = 0) -> Action {
        // No number follows the largest one.
        guard sequence == started &+ 1, sequence != 0, connection != nil else {
            return receivedAgain(sequence, byteCount)
        }
        if !unclaimed.isEmpty {
            // The front resends first, and in order: it has every answer that it has not asked for
            // again.
            unclaimed = []
        }
        return start(sequence, byteCount)
    }

    private mutating func start(_ sequence: UInt64, _ byteCount: Int) -> Action {
        started = sequence
        connection?.newest = sequence
        running.append(byteCount, at: sequence)
        runningBytes += byteCount
        return isWithinWindow ? .run : .refuse(.excess)
    }

    /// Whether the newest event may run. A single event may run whatever its size.
    private var isWithinWindow: Bool {
        running.count <= window
            && (runningBytes <= Limits.eventWindowBytesMax || running.count == 1)
    }

    @inline(never)
    private mutating func receivedAgain(_ sequence: UInt64, _ byteCount: Int) -> Action {
        // A frame of a replaced connection is dropped.
        guard let newest = connection?.newest else { return .ignore }
        guard sequence > newest else {
            return .violation("event \(sequence) after event \(newest)")
        }
        guard sequence <= started else {
            return .violation("event \(sequence) where \(started + 1) is the next one")
        }
        connection?.newest = sequence
        if let first = unclaimed.first, first.sequence < sequence {
            unclaimed.removeAll { $0.sequence < sequence }
        }
        if let answer = unclaimed.first, answer.sequence == sequence {
            unclaimed.removeFirst()
            answer.frame.withUnsafeBytes { answerEncoded(sequence, $0) }
            return .sendAgain(answer.frame)
        }
        let isOnItsWay = running.contains(sequence) || log.tokens.contains(sequence)
        return isOnItsWay ? .ignore : .answerUnknown
    }

    /// The front does not wait for an event's answer any longer. The event may have ended.
    public func cancelReceived(_ sequence: UInt64) -> Action {
        guard let newest = connection?.newest else { return .ignore }
        guard sequence <= newest else {
            return .violation("event \(sequence) is cancelled, and event \(newest) is the newest")
        }
        return running.contains(sequence) ? .cancelEvent : .ignore
    }

    /// A handler has finished, or was not run. Returns what to do with its answer.
    public mutating func handlerFinished(_ sequence: UInt64) -> FinishAction {
        guard let byteCount = running.remove(sequence) else { return .ignore }
        runningBytes -= byteCount
        return connection == nil ? .keep : .send
    }

    /// An answer has been encoded as this frame; reported in the order of `handlerFinished`.
    public mutating func answerEncoded(_ sequence: UInt64, _ frame: UnsafeRawBufferPointer) {
        guard let place = connection?.countSent() else {
            return keepUnclaimed(KeptAnswer(sequence: sequence, frame: Array(frame)))
        }
        log.append(sequence, at: place, frame)
        while log.count > answersMax || log.liveBytes > answersBytesMax { forgetOldest() }
    }

    /// The front has received this many answers of this connection.
    public mutating func receivedReceived(_ count: UInt64) -> Action {
        guard let connection else { return .ignore }
        guard count >= connection.confirmed, count <= connection.sent else {
            return .violation(
                "\(count) answers are said to have arrived, after \(connection.confirmed) of "
                    + "\(connection.sent)")
        }
        self.connection?.confirmed = count
        for _ in min(count, connection.forgotten)..<count { forgetOldest() }
        return .ignore
    }

    private mutating func forgetOldest() {
        guard let place = connection?.countForgotten() else { return }
        _ = log.remove(place)
    }

    private mutating func keepUnclaimed(_ answer: KeptAnswer) {
        let last = unclaimed.lastIndex { $0.sequence <= answer.sequence }
        unclaimed.insert(answer, at: last.map { $0 + 1 } ?? 0)
        trimUnclaimed()
    }

    private mutating func trimUnclaimed() {
        var bytes = unclaimed.reduce(0) { $0 + $1.frame.count }
        var excess = 0
        while unclaimed.count - excess > answersMax || bytes > answersBytesMax {
            bytes -= unclaimed[excess].frame.count
            excess += 1
        }
        unclaimed.removeFirst(excess)
    }
}
