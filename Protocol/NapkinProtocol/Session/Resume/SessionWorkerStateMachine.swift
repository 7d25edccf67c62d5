// SessionWorkerStateMachine: a worker's end of one front's events, over all connections.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one front's link.
// Ownership  keeps the answers that the front may not have, within the limits of section 12.
// Invariant  an event's handler is started at most once, and in the order of the numbers.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

/// Starts each event once, and answers again what was answered into the void.
public struct SessionWorkerStateMachine: Hashable, Sendable {
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
        /// Answers whose arrival the front has confirmed.
        var confirmed: UInt64 = 0
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
    /// Sent on this connection.
    private var log: AnswerLog
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
        log = AnswerLog(countMax: answersMax, bytesMax: answersBytesMax)
    }

    /// Handlers that have started and not finished.
    public var runningEvents: Int { running.count }

    /// Answers that are kept, wherever they are.
    public var keptAnswers: Int { log.count + unclaimed.count }

    /// The kept answers' bytes.
    public var keptAnswerBytes: Int {
        unclaimed.reduce(log.byteCount) { $0 + $1.frame.count }
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
            unclaimed = (unclaimed + log.kept).sorted { $0.sequence < $1.sequence }
            trimUnclaimed()
        }
        log = AnswerLog(countMax: answersMax, bytesMax: answersBytesMax)
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
            answer.frame.withUnsafeBytes { log.append(sequence, $0) }
            return .answer(answer.frame)
        }
        let isOnItsWay = running.contains(sequence) || log.contains(sequence)
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
        if connection != nil {
            log.append(sequence, frame)
        } else {
            keepUnclaimed(KeptAnswer(sequence: sequence, frame: Array(frame)))
        }
    }

    /// The front has this many answers of this connection. Returns what is wrong with that.
    public mutating func receivedReceived(_ count: UInt64) -> String? {
        guard let confirmed = connection?.confirmed else { return nil }
        guard count >= confirmed, count <= log.end else {
            return "\(count) answers are said to have arrived, after \(confirmed) of \(log.end)"
        }
        connection?.confirmed = count
        if count > log.first { log.removeFirst(Int(count - log.first)) }
        return nil
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
