// History: what the fronts of a durable session have sent, been answered and been shown.
//
// Invariant  of what a viewer was shown only the newest is kept: each later one begins with it.

/// A session whose state is the list of all amounts that events have entered, each of its own.
///
/// Every state that was ever shown is therefore a beginning of what the session has in the end.
package struct History {
    /// What an event's handler does.
    package enum Plan: String, CaseIterable, Sendable {
        /// Enters its amount and returns.
        case once
        /// Enters its amount, waits, enters it again and returns.
        case twice
        /// Waits, enters its amount and returns.
        case later
        /// Enters its amount in a task of its own, and returns.
        case aside
        /// Enters its amount, schedules, posts and throws.
        case fails
        /// Enters its amount, waits, enters it again and throws.
        case failsLater
        /// Enters its amount, and opens the page of this number in the place of the former one.
        case turns
        /// Sent to the page: enters its amount there and in the list, and returns.
        case marks
        /// The same, and throws.
        case marksFails
        /// Schedules a timer that enters its amount, and returns.
        case reminds
        /// Posts a job whose result enters its amount, and returns the job's key.
        case posts

        /// Draws a plan of a proof: a third of them throws, and a third waits after a change.
        package static func draw(_ random: inout Randomness) -> Plan {
            switch random.below(9) {
            case 0: .fails
            case 1: .marksFails
            case 2: .failsLater
            case 3, 4: .twice
            default: others[random.below(others.count)]
            }
        }

        private static let others: [Plan] = [
            .once, .later, .aside, .turns, .marks, .reminds, .posts,
        ]

        /// How often the amount may be there while nobody knows how the event has ended.
        var most: Int {
            switch self {
            case .fails, .marksFails: 0
            case .once, .later, .aside, .failsLater, .turns, .marks, .reminds, .posts: 1
            case .twice: 2
            }
        }

        /// Whether the amount is entered before the handler waits or returns.
        var isImmediate: Bool { ![.later, .reminds, .posts].contains(self) }
    }

    /// How an event has ended for the front that sent it.
    package enum Outcome: Equatable, Sendable {
        /// With the length of the list after it, where the handler says it.
        case value(place: Int?)
        case failed, interrupted, notExecuted
        /// There was no such page any more.
        case gone
        /// Too many deaths in a row while it was under way: it may have run.
        case unknown
    }

    /// A page as it was shown, or restored: its number, and what was entered on it.
    package struct Page: Equatable, Sendable {
        package var number: Int64
        package var marks: [Int64]

        package init(number: Int64, marks: [Int64]) {
            (self.number, self.marks) = (number, marks)
        }
    }

    /// What a restored session has.
    package struct Recovered {
        package var entries: [Int64]
        /// Handlers of which it was told that they were interrupted.
        package var interrupted: Int
        package var page: Page?
        package var performed: [Performance]

        package init(
            entries: [Int64], interrupted: Int, page: Page? = nil, performed: [Performance] = []
        ) {
            (self.entries, self.interrupted, self.page) = (entries, interrupted, page)
            self.performed = performed
        }
    }

    /// A job was performed, perhaps not for the first time.
    package struct Performance: Equatable, Sendable {
        package var amount: Int64
        package var key: String

        package init(amount: Int64, key: String) { (self.amount, self.key) = (amount, key) }
    }

    struct Event {
        var front: Int
        var plan: Plan
        var outcome: Outcome?
        /// The key of its job, as its front was told.
        var key: String?
    }

    /// What has happened, one after another.
    enum Fact {
        case sent(Int64, by: Int, Plan)
        case ended(Int64, Outcome)
        case showed(Int, count: Int, last: Int64?)
        case noted(String)
        case attached(Int)
    }

    private(set) var events: [Int64: Event] = [:]
    /// In the order in which they were sent.
    private(set) var amounts: [Int64] = []
    /// What each viewer shows.
    private(set) var shown: [Int: [Int64]] = [:]
    /// Amounts of effects, each with its viewer.
    private(set) var flashes: [(viewer: Int, amount: Int64)] = []
    /// The pages as each viewer was shown them.
    private(set) var pages: [(viewer: Int, page: Page)] = []
    private(set) var facts: [Fact] = []
    private var epoch: UInt32?
    /// How often each front was attached.
    private var attachments: [Int: Int] = [:]
    /// The first of what cannot be, seen before the end.
    package private(set) var violation: String?

    /// Whether the session survives its worker; one that does not begins anew.
    private let isKept: Bool
    /// Whether each death is noted, so that an event that ends as unknown can be held against them.
    private let hasDeaths: Bool

    package init(isKept: Bool = true, hasDeaths: Bool = true) {
        (self.isKept, self.hasDeaths) = (isKept, hasDeaths)
    }

    // MARK: - What happens

    /// A front sends an event; fronts are told by their numbers.
    package mutating func sent(_ amount: Int64, by front: Int, _ plan: Plan) {
        precondition(events[amount] == nil, "each amount is used once")
        events[amount] = Event(front: front, plan: plan)
        amounts.append(amount)
        facts.append(.sent(amount, by: front, plan))
    }

    /// An event has ended for its front. One whose front has died has no end.
    package mutating func ended(_ amount: Int64, _ outcome: Outcome) {
        facts.append(.ended(amount, outcome))
        guard let event = events[amount] else {
            return violate("\(amount) was answered and never sent", of: [amount])
        }
        if let first = event.outcome {
            violate("\(amount) ended twice: \(first), then \(outcome)", of: [amount])
        }
        if outcome == .unknown, hasDeaths,
            deaths(during: amount, of: event.front) < Self.deathsMin
        {
            violate("\(amount) ended as unknown after too few deaths", of: [amount])
        }
        events[amount]?.outcome = outcome
    }

    /// Deaths while an event was under way that end it as unknown.
    private static let deathsMin = 3

    /// The deaths that were noted after an event was sent. Its front may not have known that the
    /// worker was dead already.
    private func deaths(during amount: Int64, of front: Int) -> Int {
        let isNote = { (fact: Fact) in if case .noted = fact { true } else { false } }
        let parts = facts.reversed().split(maxSplits: 1, omittingEmptySubsequences: false) { fact in
            if case .sent(amount, _, _) = fact { true } else { false }
        }
        let connected = parts.last?.prefix { fact in
            if case .attached(front) = fact { false } else { true }
        }
        return parts[0].count(where: isNote) + (connected?.contains(where: isNote) == true ? 1 : 0)
    }

    /// A front was told the key of the job that its event has posted.
    package mutating func posted(_ amount: Int64, key: String) { events[amount]?.key = key }

    /// A front shows this list.
    package mutating func showed(_ entries: [Int64], on viewer: Int) {
        facts.append(.showed(viewer, count: entries.count, last: entries.last))
        let known = shown[viewer] ?? []
        if !entries.starts(with: known) {
            violate(
                "front \(viewer) was shown \(Self.difference(known, entries)) before: "
                    + "what was seen is gone",
                of: Self.firstDifference(known, entries), viewer: viewer)
        }
        shown[viewer] = entries
    }

    /// A front has received the effect of an event.
    package mutating func flashed(_ amount: Int64, on viewer: Int) {
        flashes.append((viewer, amount))
    }

    /// A front shows this page.
    package mutating func showed(_ page: Page, on viewer: Int) { pages.append((viewer, page)) }

    /// A front is attached to a tree of this epoch.
    ///
    /// - Parameter count: how often it was attached.
    package mutating func attached(_ viewer: Int, epoch: UInt32, count: Int = 1) {
        if attachments.updateValue(count, forKey: viewer) != count {
            facts.append(.attached(viewer))
        }
        if let known = self.epoch, known != epoch {
            guard isKept else { return beginAnew(epoch) }
            violate(
                "front \(viewer) was attached to epoch \(epoch), of a session of epoch \(known)",
                of: [])
        }
        self.epoch = self.epoch ?? epoch
    }

    /// What has ended was part of the former tree, and is not to be in this one.
    private mutating func beginAnew(_ epoch: UInt32) {
        self.epoch = epoch
        events = events.filter { $1.outcome == nil }
        (shown, flashes, pages) = ([:], [], [])
    }

    /// Something else has happened that explains a violation, such as a death.
    package mutating func noted(_ text: String) { facts.append(.noted(text)) }

    /// What a front has met cannot be.
    package mutating func violate(_ text: String, of amounts: [Int64], viewer: Int? = nil) {
        violation = violation ?? text + "\n" + excerpt(of: amounts, viewer: viewer)
    }

    // MARK: - Sums

    /// Events by their ends.
    package var counts: [String: Int] {
        events.values.reduce(into: [:]) { counts, event in
            let end =
                switch event.outcome {
                case nil: "open"
                case .value: "ok"
                case .failed: "failed"
                case .interrupted: "interrupted"
                case .notExecuted: "notExecuted"
                case .gone: "gone"
                case .unknown: "unknown"
                }
            counts[end, default: 0] += 1
        }
    }

    /// How many events of a plan were acknowledged.
    package func acknowledged(_ plan: Plan) -> Int {
        events.values.count { event in
            if case .value = event.outcome { event.plan == plan } else { false }
        }
    }

    package var statesShown: Int {
        facts.count { if case .showed = $0 { true } else { false } }
    }

    /// The amounts that timers and jobs have yet to enter in what is restored, by what was
    /// acknowledged or performed.
    package func awaited(in recovered: Recovered) -> Set<Int64> {
        let told = amounts.filter { amount in
            guard let event = events[amount], case .value = event.outcome else { return false }
            return event.plan == .reminds || event.plan == .posts
        }
        return Set(told + recovered.performed.map(\.amount)).subtracting(recovered.entries)
    }

    // MARK: - Texts

    /// The amounts on both sides of where two lists part.
    static func firstDifference(_ known: [Int64], _ entries: [Int64]) -> [Int64] {
        let index = zip(known, entries).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let place = index ?? min(known.count, entries.count)
        return [known, entries].compactMap { place < $0.count ? $0[place] : nil }
    }

    private static func difference(_ known: [Int64], _ entries: [Int64]) -> String {
        let same = zip(known, entries).prefix { $0.0 == $0.1 }.count
        return "\(known.count) entries, of which \(known.count - same), from place \(same + 1) "
            + "(\(known.dropFirst(same).prefix(3).map(String.init).joined(separator: ", "))), "
            + "are not in the \(entries.count)"
    }

    /// The shortest part of what has happened that shows these amounts from beginning to end.
    func excerpt(of amounts: [Int64], viewer: Int? = nil) -> String {
        let (amounts, most) = (Set(amounts), 24)
        let places = facts.indices.filter { concerns(facts[$0], amounts, viewer) }
        guard let first = places.first, let last = places.last else { return "" }
        var lines: [String] = []
        for place in first...last {
            if concerns(facts[place], amounts, viewer) {
                lines.append(Self.text(facts[place]))
            } else if case .noted(let text) = facts[place] {
                lines.append("-- " + text)
            }
        }
        if lines.count > most { lines = lines.prefix(most / 2) + ["…"] + lines.suffix(most / 2) }
        return lines.map { "    " + $0 }.joined(separator: "\n")
    }

    /// What has happened last, and each event that has not ended.
    package var newest: String {
        let open = amounts.filter { events[$0]?.outcome == nil }.suffix(24)
        return facts.suffix(24).map { "    " + Self.text($0) }.joined(separator: "\n")
            + "\n    not ended: \(open.map { "\($0) \(events[$0].map { "\($0.plan)" } ?? "")" })"
    }

    private func concerns(_ fact: Fact, _ amounts: Set<Int64>, _ viewer: Int?) -> Bool {
        switch fact {
        case .sent(let amount, _, _), .ended(let amount, _): amounts.contains(amount)
        case .showed(let front, _, let last):
            front == viewer || last.map(amounts.contains) == true
        case .noted, .attached: false
        }
    }

    private static func text(_ fact: Fact) -> String {
        switch fact {
        case .sent(let amount, let front, let plan): "front \(front) sends \(amount), \(plan)"
        case .ended(let amount, let outcome): "\(amount) ends: \(outcome)"
        case .showed(let viewer, let count, let last):
            "front \(viewer) shows \(count), the last \(last.map(String.init) ?? "none")"
        case .noted(let text): "-- \(text)"
        case .attached(let viewer): "front \(viewer) is attached"
        }
    }
}
