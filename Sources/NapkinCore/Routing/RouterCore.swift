// RouterCore: the mechanics of attaching, mounting, unmounting and detaching.
//
// Layer      core.
// Isolation  @MainActor.
// Ownership  owned by its router; owns the children; the parent is weak.
// Invariant  a router has one parent; no node is active under an inactive ancestor; a batch is
//            applied when its outermost transition ends.

/// The state of one router. Subclasses of `Router` do not touch it.
@MainActor
public final class RouterCore {
    struct Place {
        var feature: FeatureID
        var slot: String
        var presentation: Presentation
    }

    struct Child {
        let router: any Routing
        /// Activated and loaded: it may be mounted with its parent.
        var isReady = false
    }

    private enum Loading { case notLoaded, loading, loaded }

    public nonisolated let interactable: any Interactable
    public nonisolated let node: FeatureNode?
    /// The feature as the parent's slot names it; for tools.
    public private(set) var feature: FeatureID = ""
    public private(set) var slot = ""

    private(set) weak var parent: RouterCore?
    private(set) var children: [Child] = []
    private var isRoot = false
    private var stage: (any Stage)?
    private let queue = RoutingQueue()
    private var batch: [StageOperation] = []
    private var batchStage: (any Stage)?
    private var depth = 0
    private var isBatch = false
    private var loading = Loading.notLoaded
    private var loadWaiters: [CheckedContinuation<Void, Never>] = []
    /// The tree's, at its root.
    public private(set) var ledger: Ledger?
    private let ledgerEntry: LedgerEntry

    init(interactable: any Interactable, node: FeatureNode?) {
        self.interactable = interactable
        self.node = node
        ledgerEntry = interactable.lifecycle.account.open(.router)
        node?.enter(interactable.lifecycle.account)
    }

    func become(rootOf feature: FeatureID) {
        precondition(parent == nil && !isRoot, "\(feature) has been launched or attached already")
        isRoot = true
        self.feature = feature
        enterLedger(of: nil)
    }

    /// The ledger of the tree that this router is the root of.
    func makeLedger() -> Ledger {
        let ledger = Ledger()
        self.ledger = ledger
        return ledger
    }

    // MARK: - Loading

    func load(_ didLoad: () async -> Void) async {
        guard case .notLoaded = loading else { return }
        loading = .loading
        await didLoad()
        loading = .loaded
        let waiters = loadWaiters
        loadWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    func loaded() async {
        if case .loaded = loading { return }
        await withCheckedContinuation { loadWaiters.append($0) }
    }

    // MARK: - Transitions

    /// Runs `body` alone on this router, then applies what it mounted and unmounted at once.
    func transition(isBatch: Bool = false, _ body: () async -> Void) async {
        await queue.run {
            depth += 1
            if depth == 1 { self.isBatch = isBatch }
            await body()
            depth -= 1
            if depth == 0 { applyBatch() }
        }
    }

    /// Returns when the routing asked for so far is done.
    public func settle() async {
        await queue.run {}
    }

    private func applyBatch() {
        guard !batch.isEmpty else { return }
        let operations = batch
        let batchStage = batchStage
        batch = []
        self.batchStage = nil
        if let host = openHost {
            host.batch += operations
        } else {
            batchStage?.apply(operations)
        }
    }

    /// The ancestor whose open batch mounts what this router hangs under: fronts have not been
    /// told of that yet, so that what happens below it goes into the same batch.
    private var openHost: RouterCore? {
        var path = [node]
        var ancestor = parent
        while let core = ancestor {
            let isPending = core.batch.contains { operation in
                guard case .mount(let mounted) = operation else { return false }
                return path.contains { $0 === mounted }
            }
            if isPending { return core }
            path.append(core.node)
            ancestor = core.parent
        }
        return nil
    }

    // MARK: - Children

    func attach(_ child: any Routing, at place: Place) async throws(RoutingError) {
        let core = child.core
        guard core.parent == nil, !core.isRoot else {
            throw RoutingError(code: .alreadyAttached, router: "\(type(of: child))")
        }
        core.parent = self
        core.feature = place.feature
        core.slot = place.slot
        core.node?.slot = place.slot
        core.node?.presentation = place.presentation
        core.enterLedger(of: self)
        children.append(Child(router: child))
        if interactable.lifecycle.admitsChildren { await core.activateTree() }
        await child.load()
        guard let index = children.firstIndex(where: { $0.router === child }) else { return }
        children[index].isReady = true
        if let stage { core.mountTree(on: stage, under: mountedNode, into: self) }
    }

    func detach(_ child: any Routing) async {
        let core = child.core
        guard core.parent === self else {
            Anomaly.report(.detachOfStranger("\(type(of: child))"))
            return
        }
        core.unmountTree(into: self)
        if !isBatch { applyBatch() }
        await core.deactivateTree()
        children.removeAll { $0.router === child }
        core.parent = nil
        core.leaveLedger()
    }

    // MARK: - Activation

    func activateTree() async {
        node?.revive()
        await interactable.activate()
        for child in children where child.router.core.parent === self {
            // It may have been deactivated again, or be on its way.
            guard interactable.lifecycle.admitsChildren else { return }
            await child.router.core.activateTree()
        }
    }

    /// The parent's `willResignActive` first, then the children, then the parent's own tasks.
    ///
    /// The tasks are told before the children and waited for after them: a child's hook may be
    /// waiting for something that such a task holds.
    func deactivateTree() async {
        await interactable.lifecycle.deactivate { [interactable] in
            await interactable.willResignActive()
            interactable.lifecycle.cancelBoundTasks()
            await self.deactivateChildren()
        }
    }

    private func deactivateChildren() async {
        for child in children { await child.router.core.deactivateTree() }
    }

    // MARK: - Mounting

    /// The nearest node that fronts see, from here upward.
    private var mountedNode: FeatureNode? {
        if let node, node.isMounted { return node }
        return parent?.mountedNode
    }

    /// Mounts this router's node and those below it, in one batch of `collector`.
    func mountTree(
        on stage: any Stage, under parent: FeatureNode?, into collector: RouterCore? = nil
    ) {
        let collector = collector ?? self
        collector.batchStage = stage
        self.stage = stage
        if let node {
            node.mount(on: stage, under: parent)
            collector.batch.append(.mount(node))
        }
        for child in children where child.isReady {
            child.router.core.mountTree(on: stage, under: node ?? parent, into: collector)
        }
    }

    /// Takes this subtree off the stage: one `unmount` for the whole of it.
    func unmountTree(into collector: RouterCore? = nil) {
        let collector = collector ?? self
        guard let stage else { return }
        collector.batchStage = stage
        collectUnmounts(&collector.batch)
        retireTree()
    }

    private func collectUnmounts(_ operations: inout [StageOperation]) {
        if let node, node.isMounted {
            operations.append(.unmount(node.id))
        } else {
            for child in children { child.router.core.collectUnmounts(&operations) }
        }
    }

    private func retireTree() {
        stage = nil
        node?.retire()
        for child in children { child.router.core.retireTree() }
    }
}
