// QuarantineStateMachine: decides which inputs have ended workers of an app and run no more.
//
// Isolation  value; owned by the app's supervisor. Time is a parameter.
// Invariant  remembers at most `inputsMax` inputs, and forgets the one whose last death is oldest.
// Spec       Protocol/SPEC.md, section 9.6 (Inputs that end their worker)

import NapkinCoding

/// Decides about the input that ran when a worker died.
public struct QuarantineStateMachine: Hashable, Sendable {
    /// The number of inputs that are remembered. Chosen: an app with more has another problem.
    public static let inputsMax = 64
    /// The number of deaths at which an input is set aside. Chosen: a handler may once have died
    /// only because its machine had no memory left.
    public static let deathsMax = 2
    /// The number of a session's events that may end workers within `window`: then all of its
    /// events rest. Chosen: a person who meets three does not need a fourth.
    public static let sessionEventsMax = 3
    /// The number of deaths by one input that do not count for `restart`. Chosen: a job is given up
    /// after as many unless its author says otherwise, and all other inputs sooner.
    public static let uncountedMax = 11
    /// The nanoseconds after a death within which an equal input, or the same task's second death,
    /// counts as the same. Chosen: a person presses again sooner.
    public static let window: UInt64 = 60_000_000_000

    /// An input that has ended a worker.
    @Message
    public struct Suspect: Hashable {
        public var input: FlightInput
        public var deaths: Int
        /// The number of the newest death's receipt.
        public var receipt: UInt64
        /// When it last ended a worker, in nanoseconds of the monotonic clock.
        public var at: UInt64
        /// Whether its newest death may have been somebody else's doing; absent if not.
        public var wasKilled: Bool?
        /// Whether its newest death counts for `restart`; absent if not.
        public var counts: Bool?

        /// Whether the input must not run again. For timers and jobs, their ledger decides.
        public var isSetAside: Bool {
            input.kind.isCounted
                ? input.isLast == true : deaths >= QuarantineStateMachine.deathsMax
        }

        /// Whether its newest death is the one that set it aside, here and not in a ledger.
        public var isNewlySetAside: Bool {
            !input.kind.isCounted && deaths == QuarantineStateMachine.deathsMax
        }

        /// Whether an event of the session is to blame for a death in the window before `now`.
        fileprivate func blamesEvent(of session: String, at now: UInt64) -> Bool {
            input.kind == .event && input.session == session && wasKilled != true
                && now < at &+ QuarantineStateMachine.window
        }
    }

    /// The inputs that have ended a worker, in the order of their newest deaths.
    public private(set) var suspects: [Suspect]
    /// How much the newest death counts for `restart`.
    package private(set) var newestWeight: RestartPolicy.Weight

    public init(_ suspects: [Suspect] = []) {
        self.suspects = suspects.suffix(Self.inputsMax)
        newestWeight = .one
    }

    /// An input that was set aside before this napkind began.
    public mutating func restore(_ suspect: Suspect) {
        suspects.append(suspect)
        if suspects.count > Self.inputsMax { suspects.removeFirst() }
    }

    /// A worker survived these inputs: launches among them are not to blame.
    public mutating func survived(_ inputs: some Sequence<FlightInput>) {
        let launches = inputs.filter { $0.kind == .launch }
        suspects.removeAll { suspect in
            suspect.input.kind == .launch
                && launches.contains {
                    $0.nanoseconds > suspect.at && $0.isEqual(to: suspect.input)
                }
        }
    }

    /// A worker has died. Returns the outcome for the input that ran.
    ///
    /// - Parameters:
    ///   - input: the input that ran, from the worker's page.
    ///   - receipt: the number of the receipt of this death.
    ///   - wasKilled: whether the death may have been somebody else's doing.
    public mutating func died(
        running input: FlightInput?, receipt: UInt64, at now: UInt64, wasKilled: Bool = false
    ) -> Receipt.Outcome {
        newestWeight = .one
        guard var input else { return .unnamed }
        input.arguments = nil
        let known = index(of: input, at: now).map { suspects.remove(at: $0) }
        // A task that ran for longer than the window since its last death starts over.
        let former = known.flatMap { last in
            input.kind != .task || last.isSetAside || now < last.at &+ Self.window ? last : nil
        }
        let suspect = Suspect(
            input: input, deaths: (former?.deaths ?? 0) + 1, receipt: receipt, at: now,
            wasKilled: wasKilled ? true : nil)
        newestWeight = weight(of: suspect, after: former, at: now)
        suspects.append(suspect)
        suspects[suspects.endIndex - 1].counts = newestWeight == .one ? true : nil
        if suspects.count > Self.inputsMax { suspects.removeFirst() }
        return suspect.isSetAside ? .setAside : .suspect
    }

    /// Returns the known facts about an input that is about to run; `nil` for most.
    public func suspect(_ input: FlightInput, at now: UInt64) -> Suspect? {
        index(of: input, at: now).map { suspects[$0] }
    }

    /// Returns the last of the deaths for which a session's events rest, and the nanoseconds for
    /// which they still do; `nil` for most sessions.
    public func rest(
        of session: String, at now: UInt64
    ) -> (newest: Suspect, nanoseconds: UInt64)? {
        let blamed = suspects.filter { $0.blamesEvent(of: session, at: now) }
        guard let newest = blamed.last, blamed.count >= Self.sessionEventsMax else { return nil }
        let first = blamed[blamed.count - Self.sessionEventsMax]
        return (newest, first.at &+ Self.window - now)
    }

    /// Returns how much a death counts for `restart`: nothing if the quarantine ends such deaths.
    /// `suspects` holds the other inputs only.
    private func weight(
        of suspect: Suspect, after former: Suspect?, at now: UInt64
    ) -> RestartPolicy.Weight {
        if suspect.isNewlySetAside { return former?.counts == true ? .minusOne : .zero }
        guard suspect.input.kind != .launch, suspect.wasKilled != true else { return .one }
        let recent = suspects.filter { now < $0.at &+ Self.window }
        // A session's events rest; its timers and jobs may each begin another that ends the worker.
        let own = recent.count { $0.input.session == suspect.input.session }
        let isBounded = own < Self.sessionEventsMax && recent.count < Self.inputsMax
        return isBounded && suspect.deaths <= Self.uncountedMax ? .zero : .one
    }

    private func index(of input: FlightInput, at now: UInt64) -> Int? {
        suspects.lastIndex { suspect in
            suspect.input.isRepetition(of: input)
                || now < suspect.at &+ Self.window && suspect.input.isEqual(to: input)
        }
    }

    /// The inputs may run as if nothing had happened: those of this receipt, or all, except timers
    /// and jobs, for which their ledger has decided. Returns them.
    @discardableResult
    public mutating func release(_ receipt: UInt64?) -> [Suspect] {
        let released = suspects.filter {
            !$0.input.kind.isCounted && (receipt == nil || $0.receipt == receipt)
        }
        suspects.removeAll { released.contains($0) }
        return released
    }
}
