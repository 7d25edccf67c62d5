// RouterCore: the mechanics of attaching, mounting, unmounting and detaching.
//
// Ownership  owned by its router; owns the children; the parent is weak.
// Invariant  a router has one parent; no node is active under an inactive ancestor; a batch is
//            applied when its outermost transition ends.

/// The state of one router. Subclasses of `Router` do not touch it.
@MainActor
public final class RouterCore {
    /// How a child is attached.
    struct Attachment {
        var feature: FeatureID
        var slot: String
        var presentation: Presentation
    }

    struct Child {
        let router: any Routing
        /// How the child was attached; a container may override what its slot says.
        let presentation: Presentation
        /// Held here, so that a list's slot lives as long as its child.
        let slot: (any ChildSlotProtocol)?
        /// Whether the child is activated and loaded: then it may be mounted with its parent.
        var isReady = false
    }

    private enum Loading { case notLoaded, loading, loaded }

    package nonisolated let interactable: any Interactable
    package nonisolated let node: FeatureNode?
    /// The feature's name, from the parent's slot; for tools.
    package private(set) var feature: FeatureID = ""
    package private(set) var slot = ""

    /// The router that owns this core.
    private(set) weak var router: (any Routing)?
    private(set) weak var parent: RouterCore?
    private(set) var children: [Child] = []
    /// The positions that have a child for each front.
    var frontSlots: [FrontSlotBuilder] = []
    /// The front that this child of a `FrontSlot` belongs to.
    package internal(set) var ownFront: UInt64?
    /// The routes that the router has declared.
    private(set) lazy var routes = router.map { Self.routes(of: $0) } ?? []
    private(set) var isRoot = false
    private(set) var stage: (any Stage)?
    private let queue = RoutingQueue()
    private var batch: [StageOperation] = []
    private var batchStage: (any Stage)?
    private var depth = 0
    private var isBatch = false
    private var loading = Loading.notLoaded
    private var loader: TaskIdentity?
    private var loadWaiters: [CheckedContinuation<Void, Never>] = []
    /// The tree's inventory, at its root.
    package private(set) var inventory: TreeInventory?
    private let inventoryEntry: InventoryEntry
    private(set) var tabs: ChildTabs?
    /// The session's recorder; `nil` while the router's tree has none.
    package internal(set) var recorder: (any TreeRecorder)?
    /// The number by which the recorder and the fronts know the router; 0 without a recorder.
    package internal(set) var number: UInt32 = 0
    /// Whether the interactor's state was restored and the interactor has yet to learn of it.
    var isRestored = false
    /// Whether the interactor runs in a process, for which it stands.
    package internal(set) var isInProcess = false
    /// The interactor, if its state is durable.
    package nonisolated let durable: (any DurableInteractable)?

    init(interactable: any Interactable, node: FeatureNode?) {
        self.interactable = interactable
        self.node = node
        durable = (interactable as? any DurableInteractable).flatMap {
            $0.stateType == NoState.self ? nil : $0
        }
        inventoryEntry = interactable.lifecycle.account.open(.router)
        node?.enter(interactable.lifecycle.account)
    }

    /// Called by the router when it has been created.
    func belong(to router: any Routing) {
        self.router = router
        node?.owner = self
    }

    func becomeRoot() {
        guard let node else { preconditionFailure("a root has a view: a LaunchRouter") }
        let feature = node.feature
        precondition(parent == nil && !isRoot, "\(feature) has been launched or attached already")
        isRoot = true
        self.feature = feature
        enterInventory(of: nil)
    }

    /// Returns the inventory of the tree whose root this router is.
    func makeInventory() -> TreeInventory {
        let inventory = TreeInventory()
        self.inventory = inventory
        return inventory
    }

    // MARK: - Loading

    func load(_ didLoad: () async -> Void) async {
        guard case .notLoaded = loading else { return await loaded() }
        loading = .loading
        loader = TaskIdentity.effective
        await didLoad()
        loading = .loaded
        loader = nil
        let waiters = loadWaiters
        loadWaiters = []
        for waiter in waiters { waiter.resume() }
    }

    func loaded() async {
        if case .loaded = loading { return }
        // Called by `didLoad` itself, which would wait for its own end.
        if case .loading = loading, loader != nil, loader == TaskIdentity.effective { return }
        await withCheckedContinuation { loadWaiters.append($0) }
    }

    // MARK: - Transitions

    /// Runs `body` alone on this router, then applies its mounts and unmounts at once.
    func transition(isBatch: Bool = false, _ body: () async -> Void) async {
        await queue.run {
            depth += 1
            let isWithinBatch = self.isBatch
            self.isBatch = isWithinBatch || isBatch
            await body()
            self.isBatch = isWithinBatch
            depth -= 1
            if depth == 0 { applyBatch() }
        }
    }

    /// Returns when the routing requested so far is done.
    package func waitForRouting() async { await queue.run {} }

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

    /// The ancestor whose open batch mounts this router's subtree. Fronts have not received that
    /// mount yet, so changes below it go into the same batch.
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

    /// Returns whether a router can become a child; reports it if not.
    func admits(_ child: any Routing) -> Bool {
        guard let error = refusal(of: child) else { return true }
        Anomaly.report(.attachRefused(error))
        return false
    }

    private func refusal(of child: any Routing) -> RoutingError? {
        guard child.core.parent == nil, !child.core.isRoot else {
            return RoutingError(code: .alreadyAttached, router: "\(type(of: child))")
        }
        return child.core.node?.argumentsDefect.map {
            RoutingError(
                code: .unsendableArguments, router: "\(type(of: child))", detail: $0.detail)
        }
    }

    /// Attaches the router that `build` returns, unless the slot is occupied.
    func attach(_ slot: any ChildSlotProtocol, _ build: () async -> any Routing) async {
        await transition {
            guard slot.child == nil else { return }
            await attach(await build(), in: slot)
        }
    }

    /// Attaches `child` in a free slot.
    func attach(
        _ child: any Routing, in slot: any ChildSlotProtocol,
        of container: (any ChildContainer)? = nil, presentation: Presentation? = nil,
        for front: UInt64? = nil
    ) async {
        guard slot.child == nil, admits(child) else { return }
        child.core.ownFront = front
        slot.child = child
        slot.container = container
        slot.inventoryEntry = interactable.lifecycle.account.open(
            .slot, InventoryLabel(slot.name))
        let attachment = Attachment(
            feature: slot.feature, slot: slot.name,
            presentation: presentation ?? slot.presentation)
        await adopt(child, as: attachment, in: slot)
    }

    func attach(_ child: any Routing, as attachment: Attachment) async throws(RoutingError) {
        if let error = refusal(of: child) { throw error }
        await adopt(child, as: attachment, in: nil)
    }

    private func adopt(
        _ child: any Routing, as attachment: Attachment, in slot: (any ChildSlotProtocol)?
    ) async {
        let core = child.core
        core.parent = self
        core.feature = attachment.feature
        core.slot = attachment.slot
        core.node?.slot = attachment.slot
        core.node?.presentation = attachment.presentation
        core.enterInventory(of: self)
        core.enter(recorder, under: self)
        children.append(Child(router: child, presentation: attachment.presentation, slot: slot))
        await core.restore()
        if interactable.lifecycle.admitsChildren { await core.activateTree() }
        await child.load()
        if let stage { await core.openPages(on: stage.pages) }
        guard let index = children.lastIndex(where: { $0.router === child }) else { return }
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
        core.closePages()
        remove(child)
    }

    func remove(_ child: any Routing) {
        // The child's own hook may have detached it already.
        guard let index = children.firstIndex(where: { $0.router === child }) else { return }
        let slot = children.remove(at: index).slot
        child.core.leaveRecorder()
        child.core.parent = nil
        child.core.leaveInventory()
        guard let slot, slot.child === child else { return }
        slot.child = nil
        slot.container?.vacated(slot)
        slot.container = nil
    }

    /// Detaches the child in a slot, unless it is another router's child.
    func vacate(_ slot: any ChildSlotProtocol) async {
        if let child = slot.child { await detach(child) }
    }

    /// Returns how a child is attached; `nil` for a router that is not a child of this one.
    func attachment(of child: any Routing) -> Attachment? {
        guard let entry = children.first(where: { $0.router === child }) else { return nil }
        return Attachment(
            feature: child.core.feature, slot: child.core.slot, presentation: entry.presentation)
    }

    // MARK: - Tabs

    /// Registers the router's only set of tabs.
    func open(_ tabs: ChildTabs) {
        precondition(
            self.tabs == nil && tabs.bar == nil,
            "\(feature) has opened its tabs already; open them once, in didLoad")
        self.tabs = tabs
    }

    /// Presents the tabs and the selection to the fronts.
    func presentTabs() {
        guard let bar = tabs?.bar else { return }
        node?.present(.tabs) { (writer) throws(CBORError) in try writer.write(bar) }
    }

    // MARK: - Activation

    func activateTree() async {
        node?.revive()
        presentTabs()
        await interactable.activate()
        for child in children where child.router.core.parent === self {
            // The child may have been deactivated again, or be about to be.
            guard interactable.lifecycle.admitsChildren else { return }
            await child.router.core.activateTree()
        }
    }

    /// Runs the parent's `willResignActive`, then deactivates the children, then drains the
    /// parent's tasks.
    ///
    /// The tasks are cancelled before the children are deactivated and waited for afterwards: a
    /// child's hook may be waiting for something that such a task holds.
    func deactivateTree() async {
        // On the main actor, so that a handler that detaches a child does not leave the loop
        // meanwhile: all its changes stay in one stretch.
        await interactable.lifecycle.deactivate { @MainActor [interactable] in
            await interactable.willResignActive()
            interactable.lifecycle.cancelBoundTasks()
            await self.deactivateChildren()
        }
    }

    private func deactivateChildren() async {
        for child in children { await child.router.core.deactivateTree() }
    }

    // MARK: - Mounting

    /// The nearest node that fronts show, from here upward.
    private var mountedNode: FeatureNode? {
        if let node, node.isMounted { return node }
        return parent?.mountedNode
    }

    /// Mounts this router's node and the nodes below it, in one batch of `collector`.
    func mountTree(
        on stage: any Stage, under parent: FeatureNode?, into collector: RouterCore? = nil
    ) {
        let collector = collector ?? self
        collector.batchStage = stage
        self.stage = stage
        if let node {
            node.mount(on: stage, under: parent, for: front)
            collector.batch.append(.mount(node))
        }
        for child in children where child.isReady {
            child.router.core.mountTree(on: stage, under: node ?? parent, into: collector)
        }
    }

    /// Removes this subtree from the stage with a single `unmount`.
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
        stage?.pages.remove(self)
        stage = nil
        node?.retire()
        for child in children { child.router.core.retireTree() }
    }
}
