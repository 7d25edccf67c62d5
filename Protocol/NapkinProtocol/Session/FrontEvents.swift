// FrontEvents: a front's events, over all of its connections: numbers, credit and answers.
//
// Isolation  value; owned by one front.
// Ownership  keeps the frames of unanswered events, each with the token that identifies its caller
//            to the driver.
// Invariant  events are numbered 1, 2, 3… without a gap for as long as the identity lasts; at most
//            `window` are unanswered; every event ends once.
// Spec       Protocol/SPEC.md, sections 8 (Flow control) and 9 (Resume)

import NapkinCoding

/// Identifies a front to its session's worker.
public struct SessionIdentity: Hashable, Sendable {
    public var front: UInt64
    public var epoch: UInt32

    public init(front: UInt64, epoch: UInt32) {
        self.front = front
        self.epoch = epoch
    }
}

/// Numbers events, resends unanswered ones, and ends each event once.
public struct FrontEvents<Token> {
    @usableFromInline
    enum State: Hashable, Sendable {
        /// The front has no identity yet, or has lost it.
        case unknown
        /// Connected, and asking to be attached, under its previous identity if it had one.
        case attaching(SessionIdentity?)
        case attached(SessionIdentity)
        /// The connection was lost; another one may continue from here.
        case disconnected(SessionIdentity)
        case closed
    }

    /// Events that ended because they cannot continue, in the order of their calls.
    public struct Ended {
        /// Events that had been sent: each may have run.
        public var unknown: [Token] = []
        /// Events that had not been sent: none has run.
        public var notExecuted: [Token] = []
        /// Events that were under way at too many deaths of the worker: each may have run, and
        /// none is sent again.
        public var suspects: [Token] = []

        public init(unknown: [Token] = [], notExecuted: [Token] = [], suspects: [Token] = []) {
            self.unknown = unknown
            self.notExecuted = notExecuted
            self.suspects = suspects
        }
    }

    /// The action to take for a frame.
    public typealias Action = FrontStateMachine<Token>.Action

    @usableFromInline var state = State.unknown
    @usableFromInline var window = 0
    /// The number of the newest event.
    @usableFromInline var sent: UInt64 = 0
    /// The frames' buffer may keep 16 KiB. Chosen: twice what a busy front needs.
    @usableFromInline var unanswered = KeptFrames<Token>(garbageBytesMax: 16 * 1024)
    @usableFromInline var waiting = EventQueue<Token>()
    /// The number of answers received on this connection, and of those confirmed.
    @usableFromInline var arrived: UInt64 = 0
    @usableFromInline var confirmed: UInt64 = 0
    /// The process of the worker that last attached the front, and whether it then fell silent.
    private var worker: Int32 = 0
    private var fellSilent = false
    /// The newest event at each of the worker's latest deaths in a row, at most
    /// `Limits.deathsInRowMax`: an event under way at the first was under way at all of them.
    private var deaths: [UInt64] = []
    @usableFromInline let answersPerConfirmation: Int

    public init(answersPerConfirmation: Int = Limits.answersPerConfirmation) {
        self.answersPerConfirmation = answersPerConfirmation
    }

    /// The front's present identity.
    public var identity: SessionIdentity? {
        if case .attached(let identity) = state { identity } else { nil }
    }

    /// The number of events sent but not answered.
    @inlinable public var unansweredEvents: Int { unanswered.count }

    /// Bytes kept for events that may have to be sent again. For tests.
    public var bufferedBytes: Int { unanswered.end }

    /// Whether there are events that could still be answered after a resume.
    public var hasOpenEvents: Bool { unanswered.count > 0 || !waiting.isEmpty }

    /// Whether a connection to the worker has been reported, but not its end.
    public var isConnected: Bool {
        switch state {
        case .attaching, .attached: true
        case .unknown, .disconnected, .closed: false
        }
    }

    // MARK: - Connections

    /// A connection to the worker is established: ask to be attached, under the returned identity.
    public mutating func connected() -> SessionIdentity? {
        if isConnected { connectionEnded(isSilent: false) }
        arrived = 0
        confirmed = 0
        guard case .disconnected(let identity) = state else {
            if state != .closed { state = .attaching(nil) }
            return nil
        }
        state = .attaching(identity)
        return identity
    }

    /// The worker has attached the front. Unless it resumes the front, all open events have ended.
    ///
    /// - Parameter worker: the worker's process id, from its `welcome`.
    public mutating func attachedReceived(_ attached: Attached, by worker: Int32 = 0) -> Action {
        guard case .attaching(let previous) = state else {
            return .violation("an attached frame for a front that is not attaching")
        }
        guard attached.window > 0 else {
            return .violation("a window of \(attached.window) events")
        }
        guard !attached.isResumed || attached.front == previous?.front else {
            return .violation("front \(attached.front) was resumed, which is not this one")
        }
        // Another process proves that the former one has ended; a lost connection proves nothing.
        if fellSilent, worker != self.worker {
            deaths = deaths.suffix(Limits.deathsInRowMax - 1) + [sent]
        }
        (self.worker, fellSilent, window) = (worker, false, attached.window)
        state = .attached(SessionIdentity(front: attached.front, epoch: attached.epoch))
        if attached.isResumed {
            let (suspects, frames) = takeSuspects()
            return .attached(
                attached, ended: Ended(suspects: suspects), sendAgain: frames + unanswered.joined)
        }
        let ended = takeOpen()
        (sent, deaths) = (0, [])
        return .attached(attached, ended: ended, sendAgain: [])
    }

    /// Takes the events that must not be sent again. Each is replaced by a frame to no node, which
    /// runs nothing but uses the number, so that the next event leaves no gap.
    private mutating func takeSuspects() -> (tokens: [Token], frames: [UInt8]) {
        guard deaths.count == Limits.deathsInRowMax else { return ([], []) }
        var writer = CBORWriter()
        let numbers = unanswered.table.elements.map(\.sequence).prefix { $0 <= deaths[0] }
        let tokens = numbers.compactMap { number in
            _ = FrameHeader(.event, sequence: number).begin(in: &writer)
            return unanswered.remove(number)
        }
        return (tokens, writer.copyBytes())
    }

    /// The connection has ended. Events that were sent may still be answered on another one.
    ///
    /// - Parameters:
    ///   - isSilent: whether the worker did not announce the end, so that it may have died.
    ///   - isLate: whether the front had been attached for `Limits.deathsApartSeconds`, so that a
    ///     death now is unrelated to earlier ones.
    public mutating func connectionEnded(isSilent: Bool = true, isLate: Bool = false) {
        if isLate { deaths = [] }
        switch state {
        case .attached(let identity):
            fellSilent = isSilent
            state = .disconnected(identity)
        case .attaching(let identity?): state = .disconnected(identity)
        case .attaching(nil): state = .unknown
        case .unknown, .disconnected, .closed: break
        }
    }

    /// The worker must have forgotten the front by now (see `Limits.departedFrontSeconds`). Does
    /// nothing while there is a connection.
    public mutating func resumeExpired() -> Ended {
        guard case .disconnected = state else { return Ended() }
        state = .unknown
        return takeOpen()
    }

    /// The front has left the session for good.
    public mutating func detached() -> Ended {
        state = .closed
        return takeOpen()
    }

    private mutating func takeOpen() -> Ended {
        // A front that attaches has none. Measured: emptying empty tables took a twelfth of its
        // instructions.
        guard sent > 0 || hasOpenEvents else { return Ended() }
        defer { unanswered = KeptFrames(garbageBytesMax: unanswered.garbageBytesMax) }
        return Ended(unknown: unanswered.tokens, notExecuted: waiting.removeAll())
    }

    // MARK: - Events

    /// A caller wants to send an event, but there is no credit. Returns whether the event waits
    /// until `creditGiven` or `Ended` returns it. Without a session it ends as `notExecuted`.
    @inlinable
    public mutating func eventQueued(_ token: Token) -> Bool {
        guard case .attached = state else { return false }
        waiting.append(token)
        return true
    }

    /// Returns the next waiting event and its number: encode it, then report `eventSent`.
    ///
    /// Call it after `attachedReceived`, after an answer, and when an event that had its turn was
    /// not sent; repeat it until it returns `nil`.
    @inlinable
    public mutating func creditGiven() -> (Token, UInt64)? {
        guard case .attached = state, unanswered.count < window,
            let token = waiting.removeFirst()
        else { return nil }
        return (token, sent + 1)
    }

    /// Whether an event may be sent now: encode it with `nextSequence`, then report `eventSent`.
    /// Otherwise report `eventQueued`.
    @inlinable public var hasCredit: Bool {
        guard case .attached = state else { return false }
        return waiting.isEmpty && unanswered.count < window
    }

    /// Whether an event waits for credit.
    @inlinable public var hasWaiting: Bool { !waiting.isEmpty }

    /// The number of the next event to be sent.
    @inlinable public var nextSequence: UInt64 { sent &+ 1 }

    /// The event that had its turn was sent as this frame. An event that cannot be encoded uses no
    /// number.
    @inlinable
    public mutating func eventSent(_ token: consuming Token, _ frame: UnsafeRawBufferPointer) {
        sent &+= 1
        unanswered.append(token, at: sent, frame)
    }

    /// A reply or a fault has arrived: either ends the event.
    @inlinable
    public mutating func answerReceived(_ sequence: UInt64) -> Action {
        guard case .attached = state else {
            return .violation("an answer before the front was attached")
        }
        arrived &+= 1
        guard let token = unanswered.remove(sequence) else { return .answerIgnored }
        return .succeed(token)
    }

    // MARK: - Events that take long

    /// The events sent but not answered, with their numbers, in ascending order.
    @inlinable public var outstanding: [(number: UInt64, token: Token)] {
        unanswered.table.elements.map { ($0.sequence, $0.value.token) }
    }

    /// The events that wait for credit, in the order of their calls.
    public var queued: some Sequence<Token> { waiting.places[waiting.head...] }

    /// A caller has withdrawn an event that waits for credit.
    ///
    /// - Parameter isWithdrawn: returns whether an event was withdrawn. `creditGiven` may still
    ///   return such an event: do not send it.
    public mutating func eventWithdrawn(_ isWithdrawn: (Token) -> Bool) {
        waiting.withdraw(isWithdrawn)
    }

    // MARK: - Confirmation

    /// Whether it is time to tell the worker which answers have arrived.
    @inlinable public var isConfirmationDue: Bool {
        Int(truncatingIfNeeded: arrived &- confirmed) >= answersPerConfirmation
    }

    /// Returns the number for a `received` frame, to be sent now; `nil` if there is nothing to
    /// confirm.
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

/// The queue of events that wait for credit, in the order of their calls. Removing the first one
/// moves nothing. At most half of the places are empty, or fewer than 64, and at most half of the
/// others are withdrawn, or fewer than 64.
@usableFromInline
struct EventQueue<Token> {
    @usableFromInline var places: [Token] = []
    @usableFromInline var head = 0
    /// An upper bound on the withdrawn events in `places`.
    @usableFromInline var withdrawn = 0

    @inlinable
    init() {}

    @inlinable var isEmpty: Bool { head == places.count }

    mutating func withdraw(_ isWithdrawn: (Token) -> Bool) {
        withdrawn += 1
        guard withdrawn >= 64, withdrawn * 2 > places.count - head else { return }
        let rest = places[head...].filter { !isWithdrawn($0) }
        self = EventQueue()
        places = rest
    }

    @inlinable
    mutating func append(_ token: Token) { places.append(token) }

    @inlinable
    mutating func removeFirst() -> Token? {
        guard !isEmpty else { return nil }
        let token = places[head]
        head += 1
        if head == places.count {
            self = EventQueue()
        } else if head >= 64, head * 2 > places.count {
            places.removeFirst(head)
            head = 0
        }
        return token
    }

    mutating func removeAll() -> [Token] {
        defer { self = EventQueue() }
        return Array(places[head...])
    }
}

extension EventQueue: Sendable where Token: Sendable {}

extension EventQueue: Equatable where Token: Equatable {
    @usableFromInline
    static func == (left: Self, right: Self) -> Bool {
        left.places[left.head...] == right.places[right.head...]
    }
}

extension EventQueue: Hashable where Token: Hashable {
    @usableFromInline
    func hash(into hasher: inout Hasher) {
        var index = head
        while index < places.count {
            hasher.combine(places[index])
            index += 1
        }
    }
}
