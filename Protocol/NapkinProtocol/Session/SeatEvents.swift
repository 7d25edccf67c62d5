// SeatEvents: starts each event of a front once, and resends answers that may have been lost.
//
// Isolation  value; part of a seat's state machine, over all of its connections.
// Ownership  keeps answers that the front may not have received, within the limits of section 12.
// Invariant  an event's handler is started at most once, in the order of the numbers.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import NapkinCoding

/// An answer's frame, with the number of the event that it answers.
struct KeptAnswer: Hashable, Sendable {
    var sequence: UInt64
    var frame: [UInt8]
}

/// Starts each event once, and resends answers that may have been lost.
public struct SeatEvents: Hashable, Sendable {
    /// The action to take for a frame.
    public typealias Action = SeatStateMachine.Action

    /// The action to take for a finished handler's answer. Unless it is `ignore`, encode the answer
    /// and report `answerEncoded`.
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
        /// The number of answers sent, of those no longer in the log, and of those that the front
        /// has confirmed.
        var sent: UInt64 = 0
        var forgotten: UInt64 = 0
        var confirmed: UInt64 = 0

        /// Counts an answer being sent, and returns its place.
        mutating func countSent() -> UInt64 {
            sent += 1
            return sent
        }

        /// Counts the oldest answer in the log as forgotten, and returns its place.
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
    /// The newest event whose unconfirmed answer was dropped at a limit.
    public private(set) var forgottenUnconfirmed: UInt64 = 0
    /// Running handlers, with the bytes of their events.
    private var running = SequenceTable<Int>()
    private var runningBytes = 0
    /// The answers sent on this connection, with the numbers of their events, by their place in
    /// sending order, counted from 1. The buffer may keep only a page. Chosen: many fronts are
    /// idle at once.
    private var log = KeptFrames<UInt64>(garbageBytesMax: 4096)
    /// Finished answers that were not sent on this connection, in ascending order.
    private var unclaimed: [KeptAnswer] = []
    private var connection: Connection?
    /// The events that may have run in a former worker without a record; `nil` once the front has
    /// resent all its unanswered events.
    private var unrecorded: Unrecorded?
    /// Whether numbers may be skipped: events that changed nothing are not recorded, and the front
    /// does not resend those whose answers it has. Ends when the front confirms answers, since
    /// these answer events that it sent to this worker after it had resent the others.
    private var isRestored = false

    /// Events that left no recorded change, or did not run: they run if they are resent.
    private struct Unrecorded: Hashable, Sendable {
        /// The last event before these, or the last of these to be resent.
        var after: UInt64
        var through: UInt64

        mutating func take(_ sequence: UInt64) -> Bool {
            guard sequence > after, sequence <= through else { return false }
            after = sequence
            return true
        }
    }

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

    /// Restores a front's events from their record.
    ///
    /// - Parameters:
    ///   - started: the number of the newest recorded event.
    ///   - forgotten: answers up to this event may be missing, although the events ran.
    ///   - answers: the recorded events with their answers' frames, in ascending order.
    public mutating func restored(
        started: UInt64, forgotten: UInt64, answers: [(sequence: UInt64, frame: [UInt8])]
    ) {
        self.started = started
        unclaimed = answers.map(KeptAnswer.init)
        unrecorded = Unrecorded(after: forgotten, through: started)
        isRestored = true
    }

    /// The number of handlers that have started but not finished.
    public var runningEvents: Int { running.count }

    /// The first event whose answer is kept; `nil` if none is.
    public var oldestKept: UInt64? {
        var oldest = unclaimed.first?.sequence
        log.table.visit { oldest = min(oldest ?? .max, $0.token) }
        return oldest
    }

    /// The number of answers kept, sent or not.
    public var keptAnswers: Int { log.count + unclaimed.count }

    /// The bytes of the kept answers.
    public var keptAnswerBytes: Int { unclaimed.reduce(log.liveBytes) { $0 + $1.frame.count } }

    public var isConnected: Bool { connection != nil }

    // MARK: - Connections

    /// The front has been attached on a new connection, which replaces any former one.
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
        guard sequence == started &+ 1 || isRestored && sequence > started, sequence != 0,
            connection != nil
        else {
            return receivedAgain(sequence, byteCount)
        }
        if !unclaimed.isEmpty {
            // The front resends first, and in order: it has the answers to all events that it has
            // not resent.
            unclaimed = []
        }
        if unrecorded != nil { unrecorded = nil }
        started = sequence
        return start(sequence, byteCount)
    }

    private mutating func start(_ sequence: UInt64, _ byteCount: Int) -> Action {
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
        let isUnrecorded = unrecorded?.take(sequence) == true
        if let answer = unclaimed.first, answer.sequence == sequence {
            unclaimed.removeFirst()
            answer.frame.withUnsafeBytes { answerEncoded(sequence, $0) }
            return .sendAgain(answer.frame)
        }
        if isUnrecorded { return start(sequence, byteCount) }
        let isOnItsWay = running.contains(sequence) || log.tokens.contains(sequence)
        return isOnItsWay ? .ignore : .answerUnknown
    }

    /// The front no longer waits for an event's answer. The event may have ended.
    public func cancelReceived(_ sequence: UInt64) -> Action {
        guard let newest = connection?.newest else { return .ignore }
        guard sequence <= newest else {
            return .violation("event \(sequence) is cancelled, and event \(newest) is the newest")
        }
        return running.contains(sequence) ? .cancelEvent : .ignore
    }

    /// A handler has finished, or was not run. Returns the action for its answer.
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
        while log.count > answersMax || log.liveBytes > answersBytesMax {
            if let event = forgetOldest() {
                forgottenUnconfirmed = max(forgottenUnconfirmed, event)
            }
        }
    }

    /// The front has received this many answers of this connection.
    public mutating func receivedReceived(_ count: UInt64) -> Action {
        guard let connection else { return .ignore }
        guard count >= connection.confirmed, count <= connection.sent else {
            return .violation(
                "\(count) answers are said to have arrived, after \(connection.confirmed) of "
                    + "\(connection.sent)")
        }
        // A front confirms only after it has resent all its unanswered events.
        if count > 0 { isRestored = false }
        self.connection?.confirmed = count
        if count > connection.forgotten {
            self.connection?.forgotten = count
            log.removeAll(through: count)
        }
        return .ignore
    }

    private mutating func forgetOldest() -> UInt64? {
        guard let place = connection?.countForgotten() else { return nil }
        return log.remove(place)
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

/// Admits `most` events in a second, and as many at once after a pause.
public struct EventRate: Hashable, Sendable {
    /// Events in any second.
    public let most: Int
    /// The events admitted at once, in thousandths of an event.
    private var allowance: Int
    /// When `allowance` was last computed, in milliseconds.
    private var reckoned: UInt64 = 0

    public init(most: Int) {
        self.most = most
        allowance = most * 1000
    }

    /// Returns whether an event may run at `now`, in milliseconds.
    public mutating func takes(at now: UInt64) -> Bool {
        let passed = Int(min(1000, now - min(now, reckoned)))
        allowance = min(most * 1000, allowance + passed * most)
        reckoned = now
        guard allowance >= 1000 else { return false }
        allowance -= 1000
        return true
    }
}
