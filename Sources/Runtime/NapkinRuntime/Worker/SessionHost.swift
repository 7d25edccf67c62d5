// SessionHost: one session of an app in its worker, with its tree of features and its fronts.
//
// Ownership  owned by the worker; owns the root router and the fronts.
// Invariant  `mounted` contains every node that fronts have been shown.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
package import NapkinCore
package import NapkinLedger
package import NapkinProtocol
import NapkinTransport

/// Shows one tree of features to any number of fronts.
@MainActor
package final class SessionHost: Stage {
    package private(set) var name: String
    /// The session's earlier names, the newest last.
    package private(set) var formerNames: [String] = []
    package let app: String
    package let features: [any Feature.Type]
    package private(set) var list: FeatureList
    /// The number of former names that still find the session. Chosen: people seldom rename.
    static let formerNamesMax = 16
    private let deepLinks: [DeepLinkRoute]
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor. Loops over
    // the fronts use a copy of the list, and code called by the map of nodes does not reenter here.
    /// Distinguishes this tree from the session's earlier ones.
    @exclusivity(unchecked) package internal(set) var epoch: UInt32
    /// The connected fronts, in order of arrival.
    @exclusivity(unchecked) package private(set) var fronts: [FrontSeat] = []
    /// The connected fronts that see a front's pages, by that front's number.
    private var viewers: [UInt64: [FrontSeat]] = [:]
    /// Whether any front has ever asked for the number of fronts.
    private(set) var hasCounted = false
    /// Effects presented while no front could see them.
    package internal(set) var unseenEffects = 0
    /// The routers that have a separate page for each front.
    package let pages = FrontPages()
    /// The connected fronts as the app sees them, in order of arrival.
    let presence: StateCell<[AttachedFront]>

    let asks = AskBoard()
    @exclusivity(unchecked) var observer: SessionObserver?
    /// The number of the newest tracer.
    var nextTracer: UInt64 = 0
    let deltas = DeltaCache()
    /// The frames that are being sent to all fronts.
    @exclusivity(unchecked) var encoded = CBORWriter()
    @exclusivity(unchecked) var shared = SharedOutput()
    package var isFlushScheduled = false
    /// The events per second that may run for each front; `nil` for no limit.
    let eventRate: EventRate?
    /// The session's ledger; `nil` if nothing of the session is stored, whatever its features.
    package internal(set) var ledger: SessionLedger?
    /// The ledger, once anything is recorded. Sessions that record nothing find `nil` here.
    @exclusivity(unchecked) var activeLedger: SessionLedger?
    /// Whether messages pass without being recorded or observed.
    @inline(__always)
    var sendsAtOnce: Bool { activeLedger == nil && observer == nil }
    /// Called after a front has left.
    package var onFrontGone: (@MainActor () -> Void)?
    private(set) var root: (any LaunchRouting)?
    /// The tree's inventory, kept after the tree has ended.
    private var inventory: TreeInventory?
    @exclusivity(unchecked) private(set) var mounted = MountedNodes()
    private var nextNode: UInt32 = 0
    var attendance: AttendanceStateMachine
    /// The fronts that are connected, or away and not forgotten, by number.
    var seats: [UInt64: FrontSeat] = [:]
    /// The forgotten fronts whose handlers were running when last checked.
    var forgotten: [FrontSeat] = []
    /// The number of connections that fronts have made to the session.
    private(set) var connections: UInt64 = 0
    private var forgetting: LoopTimer?

    package init(
        name: String, app: String, epoch: UInt32, features: [any Feature.Type],
        deepLinks: [DeepLinkRoute] = [], presence: StateCell<[AttachedFront]> = StateCell([]),
        eventRate: EventRate? = nil
    ) {
        self.eventRate = eventRate
        self.presence = presence
        self.name = name
        self.app = app
        self.epoch = epoch
        self.features = features
        list = FeatureList(features, of: app)
        self.deepLinks = deepLinks
        attendance = AttendanceStateMachine(epoch: epoch)
    }

    package var nodeCount: Int { mounted.count }

    /// The number of questions that await a front's answer.
    package var openQuestions: Int { asks.count }

    /// The number of event handlers that have started and not returned.
    package var runningHandlers: Int { mounted.nodes.reduce(0) { $0 + $1.callCount } }

    /// Returns the mounted node with that number.
    func node(_ id: UInt32) -> FeatureNode? {
        guard let node = mounted.node(id), node.id == id else { return nil }
        return node
    }

    // MARK: - Life

    /// Launches the app's tree on this stage.
    package func launch(_ root: any LaunchRouting) async {
        precondition(self.root == nil, "session \(name) has a tree already")
        self.root = root
        for defect in deepLinks.compactMap({ $0.defect(on: root) }) {
            Anomaly.report(.unusableRoute(defect))
        }
        await root.launch(on: self)
        inventory = root.core.inventory
        // Routing that was requested meanwhile belongs to the first screen.
        await root.core.settle()
        restoreFronts()
    }

    /// Tells the fronts the reason, then shuts the tree down.
    package func end(_ refusal: Refusal) async {
        dismissFronts(refusal)
        observer?.end()
        forgetting?.cancel()
        let root = self.root
        self.root = nil
        await root?.shutDown()
    }

    // MARK: - Fronts

    /// Takes over an established link: sends the whole tree, then its changes. A returning front
    /// resumes where it left off.
    package func join(_ link: Link, _ attach: Attach) {
        guard !attendance.isDismissed(attach.previousIdentity) else {
            return link.refuse(dismissal(bySomebodyWho: "has detached it meanwhile"))
        }
        if let refusal = refusal(of: attach) ?? shortage { return link.refuse(refusal) }
        connections += 1
        let (front, isResumed) = seat(for: attach)
        // Before the front is shown the tree, it receives nothing else, even if reconnected.
        unlist(front)
        front.take(link, attach, connection: connections)
        guard attach.mirrors == nil else { return show(front, attach, isResumed: isResumed) }
        handling {
            Task.immediate {
                await pages.joined(front.attached)
                // The front may have left or reconnected meanwhile.
                if front.link === link { show(front, attach, isResumed: isResumed) }
            }
        }
    }

    /// Shows the tree to a front whose pages are attached, and its changes from now on.
    private func show(_ front: FrontSeat, _ attach: Attach, isResumed: Bool) {
        guard let link = front.link, link.isOpen, seats[front.id] === front else { return }
        let attached = Attached(
            app: app, session: name, front: front.id, epoch: epoch, window: Limits.eventWindow,
            isResumed: isResumed, durability: durability)
        front.output.treeShown(&shared)
        link.attachedSent()
        front.ordered(FrameHeader(.attached), attached)
        if attach.wantsSchema {
            front.ordered(FrameHeader(.schema), features.map { $0.schema })
        }
        let operations = mounted.shown(to: front.audience)
            .map { self.operation(mounting: $0.node, as: $0.id) }
        send(operations, flags: Transition.snapshotFlag, to: [front])
        list(front)
        if front.countsFronts { hasCounted = true }
        showUncertainStates(to: front)
        showLogs(to: front, attach)
        asks.frontJoined(front)
        presence.came(front.attached)
        tellFrontCount()
        if attach.takesOver == true { dismissOthers(than: front) }
    }

    /// Returns the seat for a front that asks to attach, and whether the front resumes.
    private func seat(for attach: Attach) -> (FrontSeat, isResumed: Bool) {
        let previous = attach.previousIdentity.flatMap { seats[$0.front] == nil ? nil : $0 }
        switch attendance.attachReceived(previous: previous, on: connections) {
        case .resume(let front):
            return (seats[front] ?? FrontSeat(front, session: self), true)
        case .admit(let front):
            let seat = FrontSeat(front, session: self)
            seats[front] = seat
            ledger?.frontJoined(front)
            return (seat, false)
        }
    }

    /// Handles the end of a front's connection.
    func frontLeft(_ front: FrontSeat) {
        remove(front)
        // An ended session has already forgotten its fronts.
        guard seats[front.id] === front else { return }
        let now = Loop.shared.now
        if attendance.connectionEnded(front.connection, of: front.id, at: now) { forgetDeparted() }
    }

    /// Renames the session and tells its fronts.
    package func rename(to name: String) {
        formerNames.removeAll { $0 == name }
        formerNames.append(self.name)
        formerNames.removeFirst(max(0, formerNames.count - Self.formerNamesMax))
        self.name = name
        ledger?.renamed(to: name)
        for front in fronts { front.ordered(FrameHeader(.renamed), Renamed(session: name)) }
    }

    /// Adds a front to the connected ones and to the viewers of the pages that it shows.
    private func list(_ front: FrontSeat) {
        front.listedAudience = front.audience
        fronts.append(front)
        viewers[front.audience, default: []].append(front)
    }

    private func unlist(_ front: FrontSeat) {
        guard let audience = front.listedAudience else { return }
        front.listedAudience = nil
        front.output.treeHidden()
        fronts.removeAll { $0 === front }
        viewers[audience]?.removeAll { $0 === front }
        if viewers[audience]?.isEmpty == true { viewers[audience] = nil }
    }

    /// Returns the connected fronts that see output for this front alone: the front and its
    /// mirrors; all connected fronts for `nil`.
    func fronts(showing audience: UInt64?) -> [FrontSeat] {
        guard let audience else { return fronts }
        return viewers[audience] ?? []
    }

    /// Removes a front from the connected fronts.
    func remove(_ front: FrontSeat) {
        unlist(front)
        presence.left(front.id)
        tellFrontCount()
        onFrontGone?()
    }

    /// Forgets fronts that have been away for too long, and schedules the next check.
    func forgetDeparted() {
        for front in attendance.timerFired(at: Loop.shared.now) { forget(front) }
        forgetting?.cancel()
        forgetting = nil
        guard let deadline = attendance.nextDeadline else { return }
        let delay = Duration.milliseconds(deadline - min(deadline, Loop.shared.now))
        forgetting = LoopTimer(after: delay) { [weak self] in self?.forgetDeparted() }
    }

    /// Starts the workflow that a URL opens.
    func open(
        _ url: String, report: @escaping @MainActor (WorkflowProgress) -> Void
    ) throws(DeepLinkError) -> WorkflowRun {
        guard let root else {
            throw DeepLinkError(.unknown, "the session \(name) is being ended")
        }
        return try deepLinks.open(url, of: app, on: root, report: report)
    }

    // MARK: - Stage

    package var recorder: (any TreeRecorder)? { ledger }

    package func makeNodeID() -> UInt32 {
        if let ledger { return ledger.makeNumber() }
        nextNode += 1
        return nextNode
    }

    package func apply(_ operations: [StageOperation]) {
        var batch = AudienceBatch()
        var unmounted: Set<UInt32> = []
        for operation in operations {
            switch operation {
            case .mount(let node):
                // The node may have left within the batch, or had another number before.
                node.forgetFormers { mounted.node($0) == nil }
                guard node.isMounted else { continue }
                list.mounted(node)
                mounted.insert(node)
                batch.append(self.operation(mounting: node, as: node.id), for: node.front)
            case .unmount(let id):
                unmounted.insert(id)
                if let entry = mounted.entry(id) { batch.append(.unmount(id), for: entry.front) }
            }
        }
        if !unmounted.isEmpty {
            // Nodes that were never shown are included, because they may have asked questions.
            let gone = unmounted.union(mounted.remove(unmounted))
            asks.unmounted(where: gone.contains)
            deltas.unmounted(where: gone.contains)
            for front in fronts { front.forget(where: gone.contains) }
        }
        guard !batch.isEmpty, !fronts.isEmpty else { return }
        defer { showUncertainStates(mountedIn: operations) }
        guard batch.isDivided else {
            send(batch.operations, flags: 0, to: fronts)
            return showLogs(mountedIn: operations)
        }
        for audience in batch.isForAll ? Array(viewers.keys) : batch.audiences {
            send(batch.operations(for: audience), flags: 0, to: fronts(showing: audience))
        }
        showLogs(mountedIn: operations)
    }

    /// Sends a transition in as many frames as it needs.
    private func send(_ operations: [Transition.Operation], flags: UInt8, to fronts: [FrontSeat]) {
        let parts = TransitionParts(operations)
        do throws(CBORError) {
            guard parts.byteCount <= Limits.transitionBytesMax else {
                throw CBORError(
                    .lengthExceeded,
                    "\(parts.byteCount) bytes to show, where a front takes "
                        + "\(Limits.transitionBytesMax)")
            }
            let frames = try parts.frames(flags: flags, epoch: epoch)
            for front in fronts { front.transition(frames, parts) }
        } catch {
            let refusal = Refusal(
                .overloaded, "the tree of session '\(name)' cannot be sent: \(error.detail)")
            for front in fronts { front.refuse(refusal) }
        }
    }

    package func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of recipient: UInt64?
    ) async throws(RemoteFault) -> Answer {
        .payload(try await asks.ask(node, message, of: recipient, in: self))
    }

    /// Describes a node as fronts show it, even if it is being removed.
    private func operation(mounting node: FeatureNode, as id: UInt32) -> Transition.Operation {
        let former = node.former(id)
        return .mount(
            Mount(
                node: id, parent: former?.parent ?? node.parentID, slot: former?.slot ?? node.slot,
                presentation: (former?.presentation ?? node.presentation).rawValue,
                feature: node.feature.rawValue, arguments: node.arguments.bytes,
                states: (former?.states ?? certainStates(of: node)).map {
                    Mount.State(method: $0.method.rawValue, payload: $0.payload.bytes)
                }))
    }

    // MARK: - For tools

    /// - Parameter withInventory: whether to include the tree's inventory.
    package func tree(withInventory: Bool = true) -> SessionTree {
        let workflows = fronts.flatMap { $0.workflows.infos(of: $0.id) }
        return SessionTree(
            session: name, app: app, epoch: epoch, root: root.map { Self.describe($0) },
            workflows: workflows.isEmpty ? nil : workflows,
            inventory: withInventory ? inventory.map { SessionInventory($0.report()) } : nil,
            queues: root == nil ? nil : queues, ledger: withInventory ? ledgerCounts : nil)
    }

    /// Whether anything remains of detached features, or of the tree after its end.
    package var hasRemnants: Bool { inventory?.report().isClean == false }

    private static func describe(_ router: any Routing) -> TreeNode {
        let core = router.core
        return TreeNode(
            feature: core.feature.rawValue, slot: core.slot,
            node: core.node.flatMap { $0.isMounted ? $0.id : nil },
            front: core.ownFront, isActive: core.interactable.lifecycle.isActive,
            tasks: core.interactable.lifecycle.boundTaskCount,
            calls: core.node?.callCount ?? 0, states: core.node?.states.count ?? 0,
            logs: core.node.flatMap { $0.logs.entries.isEmpty ? nil : $0.logs.entries.count },
            children: router.children.map(describe))
    }
}

extension SessionInventory {
    fileprivate init(_ report: InventoryReport) {
        let counts = report.counts.map {
            Count(
                kind: $0.kind.rawValue, created: $0.created, released: $0.released, left: $0.left)
        }
        let remnants = report.remnants.prefix(Self.remnantsMax).map {
            Remnant(owner: $0.owner, what: $0.what, count: $0.count)
        }
        self.init(counts: counts, remnants: remnants)
    }
}
