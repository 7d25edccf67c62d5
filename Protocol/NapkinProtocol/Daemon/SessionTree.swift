// SessionTree: a session's tree, as shown to tools.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

import NapkinCoding

/// One router of a session's tree, with its children.
@Message
public struct TreeNode: Equatable {
    public var feature: String
    public var slot: String
    /// The mounted node's number; `nil` for a headless feature.
    public var node: UInt32?
    /// The front that owns the page; absent for routers that all fronts share, and below a page.
    public var front: UInt64?
    public var isActive: Bool
    /// Bound tasks that have not finished.
    public var tasks: Int
    /// Event handlers that have not returned.
    public var calls: Int
    /// State methods that have a value.
    public var states: Int
    /// Log methods that have items; absent if there are none.
    public var logs: Int?
    public var children: [TreeNode]
}

/// A session's tree.
@Message
public struct SessionTree: Equatable {
    public var session: String
    public var app: String
    /// The epoch of the tree.
    public var epoch: UInt32
    /// `nil` when the session has ended.
    public var root: TreeNode?
    /// The workflows under way; absent if there are none.
    public var workflows: [WorkflowInfo]?
    /// The objects created and released by the tree; absent if not requested, and before the tree
    /// is launched.
    public var inventory: SessionInventory?
    /// The session's queues; absent when the session has ended.
    public var queues: SessionQueues?
    /// Its handlers' changes to the stored session; absent if nothing is stored, or not requested.
    public var ledger: [LedgerCount]?
}
