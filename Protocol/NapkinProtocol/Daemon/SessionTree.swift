// SessionTree: the tree of a session, as a tool sees it.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

/// One router of a session's tree, with its children.
public struct TreeNode: Codable, Equatable, Sendable {
    public var feature: String
    public var slot: String
    /// The mounted node's number; `nil` for a headless feature.
    public var node: UInt32?
    /// The front whose page it is; absent for what all fronts share, and below a page.
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

    public init(
        feature: String, slot: String, node: UInt32?, front: UInt64? = nil, isActive: Bool,
        tasks: Int, calls: Int, states: Int, logs: Int? = nil,
        children: [TreeNode]
    ) {
        self.front = front
        self.feature = feature
        self.slot = slot
        self.node = node
        self.isActive = isActive
        self.tasks = tasks
        self.calls = calls
        self.states = states
        self.logs = logs
        self.children = children
    }
}

/// A session's tree.
public struct SessionTree: Codable, Equatable, Sendable {
    public var session: String
    public var app: String
    /// The epoch of the tree.
    public var epoch: UInt32
    /// `nil` when the session has ended.
    public var root: TreeNode?
    /// The workflows under way; absent if there are none.
    public var workflows: [WorkflowInfo]?
    /// What the tree has created and released; absent if it was not asked for, and before the tree
    /// has been launched.
    public var inventory: SessionInventory?
    /// What waits in the session; absent when the session has ended.
    public var queues: SessionQueues?
    /// How its handlers have changed what is stored; absent if nothing is, or it was not asked for.
    public var ledger: [LedgerCount]?

    public init(
        session: String, app: String, epoch: UInt32, root: TreeNode?,
        workflows: [WorkflowInfo]? = nil, inventory: SessionInventory? = nil,
        queues: SessionQueues? = nil, ledger: [LedgerCount]? = nil
    ) {
        self.ledger = ledger
        self.queues = queues
        self.epoch = epoch
        self.session = session
        self.app = app
        self.root = root
        self.workflows = workflows
        self.inventory = inventory
    }
}
