// SessionInventory: the inventory of a session's tree, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

/// Counts of the objects that one session's tree has created and released.
public struct SessionInventory: Codable, Equatable, Sendable {
    /// The most remnants listed. Chosen: a repeated leak still fits into one frame.
    public static let remnantsMax = 100

    /// The counts of one kind of object.
    public struct Count: Codable, Equatable, Sendable {
        /// `node`, `router`, `scope`, `task`, `sender`, `stream` or `slot`; others may follow.
        public var kind: String
        public var created: Int
        public var released: Int
        /// The number not released although their features have been detached.
        public var left: Int

        public init(kind: String, created: Int, released: Int, left: Int) {
            self.kind = kind
            self.created = created
            self.released = released
            self.left = left
        }
    }

    /// Unreleased objects with the same owner and description.
    public struct Remnant: Codable, Equatable, Sendable {
        /// The path of the feature: `launch/loggedIn/pitBoard`.
        public var owner: String
        public var what: String
        public var count: Int

        public init(owner: String, what: String, count: Int) {
            self.owner = owner
            self.what = what
            self.count = count
        }
    }

    public var counts: [Count]
    /// At most `remnantsMax`, sorted by owner; `counts` covers all.
    public var remnants: [Remnant]

    public init(counts: [Count], remnants: [Remnant]) {
        self.counts = counts
        self.remnants = remnants
    }
}
