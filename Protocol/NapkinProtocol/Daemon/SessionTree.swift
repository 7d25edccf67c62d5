// SessionTree: a session's tree, as shown to tools.
//
// Spec       Protocol/TOOLS.md, section 2 (Sessions)

/// One router of a session's tree, with its children.
public struct TreeNode: Codable, Equatable, Sendable {
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
    /// The objects created and released by the tree; absent if not requested, and before the tree
    /// is launched.
    public var inventory: SessionInventory?
    /// The session's queues; absent when the session has ended.
    public var queues: SessionQueues?
    /// Its handlers' changes to the stored session; absent if nothing is stored, or not requested.
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
