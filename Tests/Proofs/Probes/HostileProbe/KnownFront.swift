// KnownFront: what the specification makes a worker remember of one front.
//
// Layer      test executable. A model: Protocol/SPEC.md says it, not the worker's code.
// Ownership  kept by the peer whose connection stands, and by its session while it is away.
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinProtocol

/// An event that has been sent under its number.
struct KnownEvent {
    /// Whether the worker has the answer, where it has not been sent on the connection that stands.
    enum Retention { case kept, perhaps, gone }

    var header: FrameHeader
    var payload: [UInt8] = []
    var allowed: Outcome
    var timing: Timing
    /// The answer as it has arrived, on whichever connection.
    var answer: (kind: FrameKind, payload: [UInt8])?
    var isSeen = false
    /// Whether that was on the connection that stands.
    var isHere = false
    var retention = Retention.kept

    /// What may be answered when it is sent again, and no handler is on the way to another answer.
    var allowedAgain: Outcome {
        switch retention {
        case .kept: allowed
        case .perhaps: allowed.union(.unknown)
        case .gone: isSeen ? .unknown : allowed.union(.unknown)
        }
    }
}

/// A front's record, over all of its connections.
final class KnownFront {
    /// Events whose answers are remembered here. More than a worker keeps. Chosen.
    private static let eventsMax = 3 * Limits.answersKeptMax

    let session: KnownSession
    /// Known when `attached` has come.
    var identity: SessionIdentity?
    /// The newest event that has surely been started, and the newest that was sent: what was sent
    /// on a connection that ended at once may not have been read.
    private(set) var started: UInt64 = 0
    private(set) var sent: UInt64 = 0
    var events: [UInt64: KnownEvent] = [:]
    /// Events from before the connection that stands, ascending.
    private var elsewhere: [UInt64] = []
    /// The peer whose connection the worker holds for the front's.
    weak var standing: Peer?
    var leftAt = 0.0
    /// What passed on its last connections before the one that stands.
    private(set) var past: [Transcript] = []

    init(in session: KnownSession) { self.session = session }

    // MARK: - Events

    /// A new event, on the connection that stands.
    func start(_ sequence: UInt64, _ event: KnownEvent) {
        forgetUnasked(below: sequence)
        events[sequence] = event
        started = sequence
        sent = sequence
        guard events.count > Self.eventsMax else { return }
        let oldest = sequence - UInt64(Self.eventsMax / 2)
        events = events.filter { $0.key >= oldest || !$0.value.isSeen }
    }

    /// An event of which nobody knows whether the worker will read it.
    func startPerhaps(_ sequence: UInt64, _ event: KnownEvent) {
        // If it does, it forgets what the connection has not asked for.
        for number in elsewhere where events[number]?.isHere == false {
            if events[number]?.retention == .kept { events[number]?.retention = .perhaps }
        }
        events[sequence] = event
        sent = sequence
    }

    /// The event has been sent again, on the connection that stands.
    func sentAgain(_ sequence: UInt64) {
        forgetUnasked(below: sequence)
        if elsewhere.first == sequence { elsewhere.removeFirst() }
        // Whatever its answer is, it has been sent on this connection now, or will be.
        if let event = events[sequence] {
            events[sequence]?.allowed = event.isHere ? event.allowed : event.allowedAgain
            events[sequence]?.retention = .kept
        }
        if sequence > started { started = sequence }
    }

    /// The worker forgets the answers of which a front that returned has not sent the events.
    private func forgetUnasked(below sequence: UInt64) {
        let count = elsewhere.firstIndex { $0 >= sequence } ?? elsewhere.count
        guard count > 0 else { return }
        for number in elsewhere.prefix(count) {
            guard let event = events[number], !event.isHere else { continue }
            events[number]?.retention = event.isSeen ? .gone : .perhaps
        }
        elsewhere.removeFirst(count)
    }

    /// The answer that arrived on the connection that stands is not in the record any more.
    func forgot(_ sequence: UInt64) {
        events[sequence]?.isHere = false
        events[sequence]?.retention = .gone
    }

    // MARK: - Connections

    /// The connection has ended: its answers wait for the next one.
    func disconnected() {
        if let standing { past = past.suffix(3) + [standing.transcript] }
        elsewhere = events.filter { $0.value.retention != .gone }.keys.sorted()
        // Then it depends on the order in which they were made.
        let isFull = elsewhere.count > Limits.answersKeptMax
        for number in elsewhere {
            events[number]?.isHere = false
            if isFull, events[number]?.retention == .kept { events[number]?.retention = .perhaps }
        }
    }

    /// The front's connection has ended, and no other has taken over.
    func left() {
        leftAt = World.now
        disconnected()
        standing = nil
        guard identity != nil else { return }
        session.departed.append(self)
        if session.departed.count > 2 * Limits.departedFrontsMax + 64 {
            session.departed.removeFirst(64)
        }
    }
}

extension KnownSession {
    /// Whether the worker has a front's record.
    enum Certainty { case yes, perhaps, no }

    /// Fronts that leave at the same time may be noticed in another order. Chosen.
    private static let margin = 12
    /// Seconds around `Limits.departedFrontSeconds` in which nothing is sure. Chosen.
    private static let doubtSeconds = 5.0

    func knows(_ front: KnownFront) -> Certainty {
        if front.standing != nil { return .yes }
        guard let index = departed.firstIndex(where: { $0 === front }) else { return .no }
        let later = departed.count - index - 1
        let seconds = World.now - front.leftAt
        let limit = Double(Limits.departedFrontSeconds)
        if later >= Limits.departedFrontsMax + Self.margin { return .no }
        if seconds > limit + Self.doubtSeconds { return .no }
        let isNew = later < Limits.departedFrontsMax - Self.margin
        return isNew && seconds < limit - Self.doubtSeconds ? .yes : .perhaps
    }
}
