// SessionInventory: what a session's tree has made and released, in the answer about a tree.
//
// Layer      sans-I/O core.
// Isolation  value.
// Spec       Protocol/SPEC.md, section 6.8 (answer)

/// The inventory of one session's tree.
public struct SessionInventory: Codable, Equatable, Sendable {
    /// How many owners are named at most: a leak that repeats itself fits into one frame. Chosen.
    public static let remnantsMax = 100

    /// The things of one kind.
    public struct Count: Codable, Equatable, Sendable {
        /// `node`, `router`, `scope`, `task`, `sender`, `stream`, `slot`; others may follow.
        public var kind: String
        public var created: Int
        public var released: Int
        /// How many have not been released, although their features have been detached.
        public var left: Int

        public init(kind: String, created: Int, released: Int, left: Int) {
            self.kind = kind
            self.created = created
            self.released = released
            self.left = left
        }
    }

    /// Things alike that are left.
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
    /// At most `remnantsMax`, the first by owner; `counts` has all.
    public var remnants: [Remnant]

    public init(counts: [Count], remnants: [Remnant]) {
        self.counts = counts
        self.remnants = remnants
    }
}
