// FrontEvents: a front's events, over all of its connections: numbers, credit and answers.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; owned by one front.
// Ownership  keeps the frames of unanswered events, and a token for each: what the driver knows
//            the caller by.
// Invariant  events are numbered 1, 2, 3… without a gap for as long as the identity lasts; at most
//            `window` are unanswered; every event ends once.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

/// Who a front is to its session: the worker knows it by this.
public struct SessionIdentity: Hashable, Sendable {
    public var front: UInt64
    public var epoch: UInt32

    public init(front: UInt64, epoch: UInt32) {
        self.front = front
        self.epoch = epoch
    }
}

/// Numbers events, sends again what was not answered, and ends each event once.
public struct FrontEvents<Token> {
    @usableFromInline
    enum State: Hashable, Sendable {
        /// Nobody yet, or nobody any more.
        case unknown
        /// Connected; has asked to be attached, as whom it was before.
        case attaching(SessionIdentity?)
        case attached(SessionIdentity)
        /// The connection was lost; another one may go on from here.
        case lost(SessionIdentity)
        case closed
    }

    /// Events that ended because they cannot go on, in the order of their calls.
    public struct Ended {
        /// Had been sent: each may have run.
        public var unknown: [Token] = []
        /// Had not been sent: none has run.
        public var notExecuted: [Token] = []

        public init(unknown: [Token] = [], notExecuted: [Token] = []) {
            self.unknown = unknown
            self.notExecuted = notExecuted
        }
    }

    /// What to do with an event that somebody wants to send.
    public enum OfferAction: Equatable, Sendable {
        /// Encode it with this number, then report `eventSent`.
        case send(UInt64)
        /// The window is used up: the token will come out of `creditGiven` or `Ended`.
        case wait
        /// There is no session: it ends as `notExecuted`.
        case refuse
    }

    /// What to do when the worker has attached the front.
    public enum AttachAction {
        /// A new identity; what was open under the old one has ended.
        case begin(Ended)
        /// The worker knows the front: send these frames first, then go on.
        case sendAgain([UInt8])
        case violation(String)
    }

    /// What to do with an answer.
    public enum AnswerAction {
        /// The event has ended; its credit may go to another: see `creditGiven`.
        case end(Token)
        /// Nobody waits for it: the event has ended before, or there never was one.
        case ignore
        case violation(String)
    }

    @usableFromInline var state = State.unknown
    @usableFromInline var window = 0
    /// The number of the newest event.
    @usableFromInline var sent: UInt64 = 0
    /// The frames' buffer may keep 16 KiB: a busy front's, times two. Chosen.
    @usableFromInline var unanswered = KeptFrames<Token>(garbageBytesMax: 16 * 1024)
    @usableFromInline var waiting = WaitingLine<Token>()
    /// Answers that have arrived on this connection, and how many of them the worker knows of.
    @usableFromInline var arrived: UInt64 = 0
    @usableFromInline var confirmed: UInt64 = 0
    @usableFromInline let answersPerConfirmation: Int

    public init(answersPerConfirmation: Int = Limits.answersPerConfirmation) {
        self.answersPerConfirmation = answersPerConfirmation
    }

    /// Who the front is at present.
    public var identity: SessionIdentity? {
        if case .attached(let identity) = state { identity } else { nil }
    }

    /// Events that have been sent and not answered.
    @inlinable public var unansweredEvents: Int { unanswered.count }

    /// Bytes kept for events that may have to be sent again. For tests.
    public var bufferedBytes: Int { unanswered.end }

    /// Whether there are events that a resume could still answer.
    public var hasOpenEvents: Bool { unanswered.count > 0 || !waiting.isEmpty }

    /// Whether a connection to the worker has been reported and not its end.
    public var isConnected: Bool {
        switch state {
        case .attaching, .attached: true
        case .unknown, .lost, .closed: false
        }
    }

    // MARK: - Connections

    /// A connection to the worker stands: ask to be attached, as whom it returns.
    public mutating func connected() -> SessionIdentity? {
        if isConnected { connectionEnded() }
        arrived = 0
        confirmed = 0
        guard case .lost(let identity) = state else {
            if state != .closed { state = .attaching(nil) }
            return nil
        }
        state = .attaching(identity)
        return identity
    }

    /// The worker has attached the front as `identity`.
    public mutating func attachedReceived(
        _ identity: SessionIdentity, window: Int, isResumed: Bool
    ) -> AttachAction {
        guard case .attaching(let previous) = state else {
            return .violation("an attached frame where none is due")
        }
        guard window > 0 else { return .violation("a window of \(window) events") }
        guard !isResumed || identity.front == previous?.front else {
            return .violation("front \(identity.front) was resumed, which is not this one")
        }
        self.window = window
        state = .attached(identity)
        if isResumed { return .sendAgain(unanswered.joined) }
        sent = 0
        return .begin(takeOpen())
    }

    /// The connection has ended. What was sent may still be answered on another one.
    public mutating func connectionEnded() {
        switch state {
        case .attached(let identity), .attaching(let identity?): state = .lost(identity)
        case .attaching(nil): state = .unknown
        case .unknown, .lost, .closed: break
        }
    }

    /// The worker has forgotten the front by now, see `Limits.departedFrontSeconds`; does nothing
    /// while a connection stands.
    public mutating func resumeExpired() -> Ended {
        guard case .lost = state else { return Ended() }
        state = .unknown
        return takeOpen()
    }

    /// The front has left the session for good.
    public mutating func left() -> Ended {
        state = .closed
        return takeOpen()
    }

    private mutating func takeOpen() -> Ended {
        defer { unanswered = KeptFrames(garbageBytesMax: unanswered.garbageBytesMax) }
        return Ended(unknown: unanswered.tokens, notExecuted: waiting.removeAll())
    }

    // MARK: - Events

    /// Somebody wants to send an event.
    @inlinable
    public mutating func eventOffered(_ token: Token) -> OfferAction {
        guard case .attached = state else { return .refuse }
        guard waiting.isEmpty, unanswered.count < window else {
            waiting.append(token)
            return .wait
        }
        return .send(sent &+ 1)
    }

    /// The event whose turn it is, with its number: encode it, then report `eventSent`.
    ///
    /// Ask after `attachedReceived`, after an answer, and when one that had its turn sent nothing;
    /// as often as there is somebody.
    @inlinable
    public mutating func creditGiven() -> (Token, UInt64)? {
        guard case .attached = state, unanswered.count < window,
            let token = waiting.removeFirst()
        else { return nil }
        return (token, sent + 1)
    }

    /// Whether an event that is offered now would be sent.
    @inlinable public var hasCredit: Bool {
        guard case .attached = state else { return false }
        return waiting.isEmpty && unanswered.count < window
    }

    /// Whether somebody waits for credit.
    @inlinable public var hasWaiting: Bool { !waiting.isEmpty }

    /// The number of the event that is sent next.
    @inlinable public var nextSequence: UInt64 { sent &+ 1 }

    /// The event that had its turn was sent, as this frame. An event that cannot be encoded uses up
    /// no number.
    @inlinable
    public mutating func eventSent(_ token: consuming Token, _ frame: UnsafeRawBufferPointer) {
        sent &+= 1
        unanswered.append(token, at: sent, frame)
    }

    /// A reply or a fault arrived.
    @inlinable
    public mutating func answerReceived(_ sequence: UInt64) -> AnswerAction {
        guard case .attached = state else {
            return .violation("an answer before the front was attached")
        }
        arrived &+= 1
        guard let token = unanswered.remove(sequence) else { return .ignore }
        return .end(token)
    }

    // MARK: - Confirmation

    /// Whether it is time to tell the worker which answers have arrived.
    @inlinable public var isConfirmationDue: Bool {
        Int(truncatingIfNeeded: arrived &- confirmed) >= answersPerConfirmation
    }

    /// The number for a `received` frame, which is sent now; `nil` when there is nothing to tell.
    public mutating func confirmationSent() -> UInt64? {
        guard case .attached = state, arrived > confirmed else { return nil }
        confirmed = arrived
        return arrived
    }
}

extension FrontEvents: Sendable where Token: Sendable {}
extension FrontEvents: Equatable where Token: Equatable {}
extension FrontEvents: Hashable where Token: Hashable {}
extension FrontEvents.Ended: Sendable where Token: Sendable {}
extension FrontEvents.Ended: Equatable where Token: Equatable {}
extension FrontEvents.AttachAction: Sendable where Token: Sendable {}
extension FrontEvents.AttachAction: Equatable where Token: Equatable {}
extension FrontEvents.AnswerAction: Sendable where Token: Sendable {}
extension FrontEvents.AnswerAction: Equatable where Token: Equatable {}

/// The events that wait for credit: first come, first served. Taking the first moves nothing;
/// fewer places are empty than taken, or fewer than 64.
@usableFromInline
struct WaitingLine<Token> {
    @usableFromInline var places: [Token] = []
    @usableFromInline var head = 0

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { head == places.count }

    @inlinable
    mutating func append(_ token: Token) { places.append(token) }

    @inlinable
    mutating func removeFirst() -> Token? {
        guard !isEmpty else { return nil }
        let token = places[head]
        head += 1
        if head == places.count {
            self = WaitingLine()
        } else if head >= 64, head * 2 > places.count {
            places.removeFirst(head)
            head = 0
        }
        return token
    }

    mutating func removeAll() -> [Token] {
        defer { self = WaitingLine() }
        return Array(places[head...])
    }
}

extension WaitingLine: Sendable where Token: Sendable {}

extension WaitingLine: Equatable where Token: Equatable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        left.places[left.head...] == right.places[right.head...]
    }
}

extension WaitingLine: Hashable where Token: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) {
        var index = head
        while index < places.count {
            hasher.combine(places[index])
            index += 1
        }
    }
}
