// SessionInventory: the inventory of a session's tree, in the answer about a tree.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCoding

/// Counts of the objects that one session's tree has created and released.
@Message
public struct SessionInventory: Equatable {
    /// The most remnants listed. Chosen: a repeated leak still fits into one frame.
    public static let remnantsMax = 100

    /// The counts of one kind of object.
    @Message
    public struct Count: Equatable {
        /// `node`, `router`, `scope`, `task`, `sender`, `stream` or `slot`; others may follow.
        public var kind: String
        public var created: Int
        public var released: Int
        /// The number not released although their features have been detached.
        public var left: Int
    }

    /// Unreleased objects with the same owner and description.
    @Message
    public struct Remnant: Equatable {
        /// The path of the feature: `launch/loggedIn/pitBoard`.
        public var owner: String
        public var what: String
        public var count: Int
    }

    public var counts: [Count]
    /// At most `remnantsMax`, sorted by owner; `counts` covers all.
    public var remnants: [Remnant]
}
