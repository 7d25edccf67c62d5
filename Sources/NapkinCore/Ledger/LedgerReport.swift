// LedgerReport: a ledger's contents at one moment.
//
// Layer      core.
// Isolation  value.

/// The counts of each kind, and the owners of what is left.
public struct LedgerReport: Sendable, Equatable {
    /// How many of one kind there have been.
    public struct Count: Sendable, Equatable {
        public let kind: Ledger.Kind
        public internal(set) var created = 0
        public internal(set) var released = 0
        /// How many have not been released although their owner has been detached.
        public internal(set) var left = 0

        /// How many have not been released and have an owner that is attached, or never was.
        public var inUse: Int { created - released - left }
    }

    /// A number of equal things that are left, and whose they were.
    public struct Remnant: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The path of the owner when it was attached: `launch/loggedIn/pitBoard`.
        public let owner: String
        /// A description: `task "poll" started at App/PitBoardInteractor.swift:34`.
        public let what: String
        public internal(set) var count: Int

        public var description: String {
            count == 1 ? "\(owner): \(what)" : "\(owner): \(what) (\(count) times)"
        }

        public static func < (left: Self, right: Self) -> Bool {
            (left.owner, left.what) < (right.owner, right.what)
        }
    }

    /// One for each kind, in the order of `Ledger.Kind`.
    public internal(set) var counts = Ledger.Kind.allCases.map { Count(kind: $0) }
    /// What is left, sorted by owner and then by kind.
    public internal(set) var remnants: [Remnant] = []

    /// Whether nothing is left of detached features.
    public var isClean: Bool { remnants.isEmpty }

    public subscript(_ kind: Ledger.Kind) -> Count { counts[kind.index] }
}

extension Ledger.Kind {
    /// The kind's place in `LedgerReport.counts`.
    var index: Int {
        switch self {
        case .node: 0
        case .router: 1
        case .scope: 2
        case .task: 3
        case .sender: 4
        case .stream: 5
        case .slot: 6
        }
    }
}

/// What is known of one entry since its creation; it becomes text only when a report asks.
package struct LedgerLabel: Sendable {
    package var name: String?
    package var file: StaticString?
    package var line: UInt = 0

    package init(_ name: String? = nil, file: StaticString? = nil, line: UInt = 0) {
        self.name = name
        self.file = file
        self.line = line
    }

    func text(as kind: Ledger.Kind) -> String {
        let place = file.map { "\($0):\(line)" } ?? "an unknown place"
        return switch kind {
        case .node: "the node"
        case .router: "the router"
        case .scope: "the interactor"
        case .sender: name ?? "the sender of its presenter"
        case .task: "task \(name.map { "\"\($0)\" " } ?? "")started at \(place)"
        case .stream: "stream of \(name ?? "a service")" + (file == nil ? "" : " made at \(place)")
        case .slot: "slot \"\(name ?? "")\""
        }
    }
}
