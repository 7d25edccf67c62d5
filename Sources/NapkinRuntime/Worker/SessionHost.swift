// SessionHost: one session of an app in its worker: the tree on stage, and its fronts.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the worker; owns the root router and the fronts.
// Invariant  `mounted` has every node that fronts have been shown.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

public import NapkinCoding
public import NapkinCore
public import NapkinProtocol

/// Shows one tree of features to any number of fronts.
@MainActor
public final class SessionHost: Stage {
    public let name: String
    public let app: String
    /// Identifies this tree among those that the session has had.
    public let epoch: UInt32
    public let features: [any Feature.Type]
    @exclusivity(unchecked) public private(set) var fronts: [FrontLink] = []
    /// Effects presented while nobody could see them.
    public private(set) var unseenEffects = 0

    let asks = AskBoard()
    private var root: (any LaunchRouting)?
    @exclusivity(unchecked) private var mounted = MountedNodes()
    private var nextNode: UInt32 = 0
    private var nextFront: UInt64 = 0

    public init(name: String, app: String, epoch: UInt32, features: [any Feature.Type]) {
        self.name = name
        self.app = app
        self.epoch = epoch
        self.features = features
    }

    public var nodeCount: Int { mounted.count }

    /// Events' handlers that have started and not returned.
    public var runningHandlers: Int { mounted.nodes.reduce(0) { $0 + $1.callCount } }

    /// The mounted node of that number.
    func node(_ id: UInt32) -> FeatureNode? {
        guard let node = mounted.node(id), node.isMounted(as: id) else { return nil }
        return node
    }

    // MARK: - Life

    /// Puts the app's tree on stage.
    public func launch(_ root: any LaunchRouting) async {
        precondition(self.root == nil, "session \(name) has a tree already")
        self.root = root
        await root.launch(on: self)
        // What the root's own gate asked for meanwhile belongs to the first screen.
        await root.core.settle()
    }

    /// Tells the fronts why, then takes the tree down.
    public func end(_ refusal: Refusal) async {
        for front in fronts { front.link.refuse(refusal) }
        let root = self.root
        self.root = nil
        await root?.shutDown()
    }

    // MARK: - Fronts

    /// Takes over an established link: sends the whole tree, then what changes.
    public func join(_ link: Link, _ attach: Attach) {
        nextFront += 1
        let front = FrontLink(
            id: nextFront, link: link, isReadOnly: attach.isReadOnly,
            isAskable: !attach.isReadOnly && attach.declinesAsks != true, session: self)
        let attached = Attached(
            app: app, session: name, front: front.id, epoch: epoch, window: Limits.eventWindow,
            isResumed: attach.previousEpoch == epoch)
        front.ordered(FrameHeader(.attached).encoded(attached))
        if attach.wantsSchema {
            front.ordered(FrameHeader(.schema).encoded(features.map { $0.schema }))
        }
        let operations = mounted.shown.map { operation(mounting: $0) }
        front.ordered(frame(Transition(operations), flags: Transition.snapshotFlag))
        fronts.append(front)
        asks.frontJoined(front)
    }

    func frontLeft(_ front: FrontLink) {
        fronts.removeAll { $0 === front }
        asks.frontLeft(front)
    }

    // MARK: - Stage

    public func makeNodeID() -> UInt32 {
        nextNode += 1
        return nextNode
    }

    public func apply(_ operations: [StageOperation]) {
        var batch: [Transition.Operation] = []
        var hasUnmounted = false
        for operation in operations {
            switch operation {
            case .mount(let node) where node.isMounted:
                mounted.insert(node)
                batch.append(self.operation(mounting: node))
            case .mount:
                break
            case .unmount(let id):
                hasUnmounted = true
                if mounted.node(id) != nil { batch.append(.unmount(id)) }
            }
        }
        if hasUnmounted { forgetRetired() }
        guard !batch.isEmpty, !fronts.isEmpty else { return }
        let frame = frame(Transition(batch), flags: 0)
        for front in fronts { front.ordered(frame) }
    }

    public func stateChanged(of node: FeatureNode, _ method: MethodID) {
        guard mounted.node(node.id) != nil else { return }
        let key = OutboundQueue.StateKey(node: node.id, method: method.rawValue)
        for front in fronts { front.stateChanged(key) }
    }

    public func effect(from node: FeatureNode, _ method: MethodID, _ encode: PayloadEncoder) {
        guard !fronts.isEmpty, mounted.node(node.id) != nil else {
            unseenEffects += 1
            return
        }
        var writer = CBORWriter()
        do {
            try FrameHeader(.effect, node: node.id, epoch: epoch, method: method.rawValue)
                .write(into: &writer, encode)
        } catch {
            return Anomaly.report(
                .unencodable(feature: node.feature, method: method, error))
        }
        let frame = writer.copyBytes()
        for front in fronts { front.effect(frame) }
    }

    public func ask(
        from node: FeatureNode, _ method: MethodID, _ payload: Payload
    ) async throws(RemoteFault) -> Payload {
        try await asks.ask(node, method, payload, epoch: epoch, fronts)
    }

    private func forgetRetired() {
        let gone = mounted.removeRetired()
        asks.unmounted(where: gone.contains)
    }

    private func operation(mounting node: FeatureNode) -> Transition.Operation {
        .mount(
            Mount(
                node: node.id, parent: node.parent?.id ?? 0, slot: node.slot,
                presentation: node.presentation.rawValue, feature: node.feature.rawValue,
                arguments: node.arguments.bytes,
                states: node.states.map {
                    Mount.State(method: $0.method.rawValue, payload: $0.payload.bytes)
                }))
    }

    private func frame(_ transition: Transition, flags: UInt8) -> [UInt8] {
        var writer = CBORWriter(capacity: 4096)
        do {
            try FrameHeader(.transition, flags: flags, epoch: epoch).write(into: &writer) {
                (writer) throws(CBORError) in try writer.write(transition)
            }
        } catch {
            preconditionFailure("the tree of session \(name) cannot be encoded: \(error)")
        }
        return writer.copyBytes()
    }

    // MARK: - For tools

    public var tree: SessionTree {
        SessionTree(session: name, app: app, root: root.map { Self.describe($0) })
    }

    private static func describe(_ router: any Routing) -> TreeNode {
        let core = router.core
        return TreeNode(
            feature: core.feature.rawValue, slot: core.slot,
            node: core.node.flatMap { $0.isMounted ? $0.id : nil },
            isActive: core.interactable.lifecycle.isActive,
            tasks: core.interactable.lifecycle.boundTaskCount,
            calls: core.node?.callCount ?? 0, states: core.node?.states.count ?? 0,
            children: router.children.map(describe))
    }
}
