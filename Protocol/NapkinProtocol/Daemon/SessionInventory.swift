// SessionInventory: the inventory of a session's tree, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

/// What one session's tree has created and released.
package struct SessionInventory: Codable, Equatable, Sendable {
    /// How many remnants are listed at most: a leak that repeats itself fits into one frame.
    /// Chosen.
    package static let remnantsMax = 100

    /// The counts of one kind of object.
    package struct Count: Codable, Equatable, Sendable {
        /// `node`, `router`, `scope`, `task`, `sender`, `stream` or `slot`; others may follow.
        package var kind: String
        package var created: Int
        package var released: Int
        /// How many have not been released although their features have been detached.
        package var left: Int

        package init(kind: String, created: Int, released: Int, left: Int) {
            self.kind = kind
            self.created = created
            self.released = released
            self.left = left
        }
    }

    /// Objects of the same owner and description that are left.
    package struct Remnant: Codable, Equatable, Sendable {
        /// The path of the feature: `launch/loggedIn/pitBoard`.
        package var owner: String
        package var what: String
        package var count: Int

        package init(owner: String, what: String, count: Int) {
            self.owner = owner
            self.what = what
            self.count = count
        }
    }

    package var counts: [Count]
    /// At most `remnantsMax`, sorted by owner; `counts` covers all.
    package var remnants: [Remnant]

    package init(counts: [Count], remnants: [Remnant]) {
        self.counts = counts
        self.remnants = remnants
    }
}
