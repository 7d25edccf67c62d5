// SeatStateMachine: what a worker makes of the frames that an attached front sends.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  none of its own; a value owned by one front's seat, over all of its connections.
// Ownership  keeps the answers that the front may not have, within the limits of section 12.
// Invariant  a frame that is not due ends the connection; an event's handler is started at most
//            once, and in the order of the numbers.
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
    public var events: SeatEvents
    /// The workflows of the connection.
    public var workflows = WorkflowWorkerStateMachine()
    /// What the front asked for when it was attached last.
    public private(set) var attach = Attach()
    private let epoch: UInt32

    /// A front that nobody knows yet.
    ///
    /// - Parameter epoch: the tree's that the front is shown.
    public init(front: UInt64, epoch: UInt32) {
        events = SeatEvents(front: front)
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

/// An answer's frame, and the event that it answers.
struct KeptAnswer: Hashable, Sendable {
    var sequence: UInt64
    var frame: [UInt8]
}

/// Starts each event once, and answers again what was answered into the void.
public struct SeatEvents: Hashable, Sendable {
    /// What to do with an event.
    public enum EventAction: Equatable, Sendable {
        /// Start its handler.
        case run
        /// It is one more than the window has: report `handlerFinished` at once, and answer with an
        /// `overloaded` fault. The handler does not run.
        case refuseExcess
        /// It ran before: send its answer.
        case answer([UInt8])
        /// It ran before, and its answer is not there any more: send an `unknown` fault, and report
        /// it by `answerEncoded`.
        case answerUnknown
        /// Do nothing: its answer will come, or is on its way on this connection.
        case ignore
        case violation(String)
    }

    /// What to do with the answer of a handler that has finished. Encode it in each case but the
    /// last, and report `answerEncoded`.
    public enum FinishAction: Equatable, Sendable {
        case send
        /// The front is away.
        case keep
        /// There is no such handler.
        case ignore
    }

    private struct Connection: Hashable, Sendable {
        /// The number of the newest event that arrived.
        var newest: UInt64 = 0
        /// Answers that were sent, how many of them are not in the log any more, and how many the
        /// front has said to have.
        var sent: UInt64 = 0
        var forgotten: UInt64 = 0
        var confirmed: UInt64 = 0

        /// Returns the place of an answer that is sent now.
        mutating func countSent() -> UInt64 {
            sent += 1
            return sent
        }

        /// Returns the place of the oldest answer in the log, which is forgotten now.
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
    /// Handlers that run, with the bytes of their events.
    private var running = SequenceTable<Int>()
    private var runningBytes = 0
    /// Answers that were sent on this connection, by their place in that order, which counts from
    /// 1, with the numbers of their events. The buffer may keep a page, since many fronts are idle
    /// at once. Chosen.
    private var log = KeptFrames<UInt64>(garbageBytesMax: 4096)
    /// Finished, not sent on this connection; ascending.
    private var unclaimed: [KeptAnswer] = []
    private var connection: Connection?

    /// A front that nobody knows yet.
    public init(
        front: UInt64, window: Int = Limits.eventWindow, answersMax: Int = Limits.answersKeptMax,
        answersBytesMax: Int = Limits.answersKeptBytesMax
    ) {
        self.front = front
        self.window = window
        self.answersMax = answersMax
        self.answersBytesMax = answersBytesMax
    }

    /// Handlers that have started and not finished.
    public var runningEvents: Int { running.count }

    /// Answers that are kept, wherever they are.
    public var keptAnswers: Int { log.count + unclaimed.count }

    /// The kept answers' bytes.
    public var keptAnswerBytes: Int {
        unclaimed.reduce(log.liveBytes) { $0 + $1.frame.count }
    }

    public var isConnected: Bool { connection != nil }

    // MARK: - Connections

    /// The front has been attached by a new connection. The former one, if any, is over.
    public mutating func attached() {
        connectionEnded()
        connection = Connection()
    }

    /// The front's connection has ended: what was sent on it may not have arrived.
    public mutating func connectionEnded() {
        guard connection != nil else { return }
        connection = nil
        if log.count > 0 {
            // Not one by one: that takes the square of their number, each time a front is lost.
            unclaimed += log.elements.map(KeptAnswer.init)
            unclaimed.sort { $0.sequence < $1.sequence }
            trimUnclaimed()
        }
        log = KeptFrames(garbageBytesMax: log.garbageBytesMax)
    }

    /// The front has left for good, or has been away for too long: no answer is kept any more.
    public mutating func forgotten() {
        answersMax = 0
        trimUnclaimed()
    }

    // MARK: - Events

    /// An event arrived, with so many bytes of arguments.
    public mutating func eventReceived(
        _ sequence: UInt64, byteCount: Int = 0
    ) -> EventAction {
        // Nothing follows the last number that there is.
        guard sequence == started &+ 1, sequence != 0, connection != nil else {
            return receivedAgain(sequence, byteCount)
        }
        if !unclaimed.isEmpty {
            // The front sends again first, in order: it has the answers that it did not ask for.
            unclaimed = []
        }
        return start(sequence, byteCount)
    }

    private mutating func start(_ sequence: UInt64, _ byteCount: Int) -> EventAction {
        started = sequence
        connection?.newest = sequence
        running.append(byteCount, at: sequence)
        runningBytes += byteCount
        return isWithinWindow ? .run : .refuseExcess
    }

    /// Whether the newest event may run. A single one may, whatever its size.
    private var isWithinWindow: Bool {
        running.count <= window
            && (runningBytes <= Limits.eventWindowBytesMax || running.count == 1)
    }

    @inline(never)
    private mutating func receivedAgain(_ sequence: UInt64, _ byteCount: Int) -> EventAction {
        // Frames of a connection that has been replaced are dropped.
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
            return .answer(answer.frame)
        }
        let isOnItsWay = running.contains(sequence) || log.tokens.contains(sequence)
        return isOnItsWay ? .ignore : .answerUnknown
    }

    /// A handler has finished, or was not run: what becomes of its answer.
    public mutating func handlerFinished(_ sequence: UInt64) -> FinishAction {
        guard let byteCount = running.remove(sequence) else { return .ignore }
        runningBytes -= byteCount
        return connection == nil ? .keep : .send
    }

    /// The answer's frame, in the order of `handlerFinished`.
    public mutating func answerEncoded(_ sequence: UInt64, _ frame: UnsafeRawBufferPointer) {
        guard let place = connection?.countSent() else {
            return keepUnclaimed(KeptAnswer(sequence: sequence, frame: Array(frame)))
        }
        log.append(sequence, at: place, frame)
        while log.count > answersMax || log.liveBytes > answersBytesMax { forgetOldest() }
    }

    /// The front has this many answers of this connection. Returns what is wrong with that.
    public mutating func receivedReceived(_ count: UInt64) -> String? {
        guard let connection else { return nil }
        guard count >= connection.confirmed, count <= connection.sent else {
            return "\(count) answers are said to have arrived, after \(connection.confirmed) of "
                + "\(connection.sent)"
        }
        self.connection?.confirmed = count
        for _ in min(count, connection.forgotten)..<count { forgetOldest() }
        return nil
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
