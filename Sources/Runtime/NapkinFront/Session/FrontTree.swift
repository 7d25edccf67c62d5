// FrontTree: the tree that the session shows, as the front last learned it.
//
// Invariant  every node but the root has its parent in the tree; children in order of mount.

package import NapkinCore
import NapkinProtocol
import NapkinRuntime

/// One mounted node, with its newest states.
@MainActor
package final class FrontNode {
    package nonisolated let id: UInt32
    package nonisolated let parent: UInt32
    package nonisolated let slot: String
    package nonisolated let presentation: Presentation
    package nonisolated let feature: FeatureID
    package nonisolated let arguments: Payload
    package fileprivate(set) var children: [FrontNode] = []
    /// The number of ancestors.
    fileprivate var depth = 0
    /// The newest states, in the order in which each was first presented.
    package fileprivate(set) var states: [(method: MethodID, payload: Payload)] = []
    /// The tails of the node's logs, as far as they arrived without a gap.
    package internal(set) var logs = NodeLogs()
    /// The view of the node, if its feature has one in this front.
    package internal(set) var view: MountedView? {
        didSet { presentCall = view.map { PresentCall($0.receiver, of: feature) } }
    }
    // SAFETY: @exclusivity(unchecked): on the main actor, and no access spans a call.
    /// The call that presents messages to that view.
    @exclusivity(unchecked) package private(set) var presentCall: PresentCall?
    /// The port of that view's events; closed when the node leaves the tree.
    var port: NodePort?

    init(_ mount: Mount) {
        id = mount.node
        parent = mount.parent
        slot = mount.slot
        presentation = Presentation(rawValue: mount.presentation) ?? .embed
        feature = FeatureID(rawValue: mount.feature)
        arguments = Payload(mount.arguments)
        states = mount.states.map { (MethodID(rawValue: $0.method), Payload($0.payload)) }
    }

    /// The node's tabs, if the worker has a `ChildTabs` for them.
    package var tabBar: TabBar? {
        guard let payload = states.first(where: { $0.method == .tabs })?.payload else { return nil }
        do {
            return try payload.decode(TabBar.self)
        } catch {
            Anomaly.report(.unpresentable(feature: feature, "its tabs cannot be read: \(error)"))
            return nil
        }
    }

    /// Whether a node of the same number, and everything below it, would look the same. Ignores
    /// logs.
    package func isShown(like other: FrontNode) -> Bool {
        id == other.id && feature == other.feature && arguments == other.arguments
            && states.count == other.states.count && children.count == other.children.count
            && states.allSatisfy { state in other.states.contains { $0 == state } }
            && zip(children, other.children).allSatisfy { $0.isShown(like: $1) }
    }

    func set(_ method: MethodID, _ payload: Payload) {
        if let index = states.firstIndex(where: { $0.method == method }) {
            states[index].payload = payload
        } else {
            states.append((method, payload))
        }
    }
}

/// A change of a tree; a batch lists them in order.
package enum TreeChange {
    case mounted(FrontNode)
    /// The top of a removed subtree.
    case unmounted(FrontNode)
}

@MainActor
package final class FrontTree {
    /// The largest depth; deeper nodes are left out. Chosen: screens are composed by recursion over
    /// the levels, and the stack has room for far more.
    private static let depthMax = 1000

    package private(set) var root: FrontNode?
    private var nodes: [UInt32: FrontNode] = [:]
    // SAFETY: @exclusivity(unchecked): on the main actor, and no access spans a call.
    /// The node of the last look-up, most often also the next.
    @exclusivity(unchecked) private var recent: FrontNode?

    package init() {}

    package var count: Int { nodes.count }

    package var isEmpty: Bool { nodes.isEmpty }

    package var nodesInOrder: [FrontNode] { nodes.values.sorted { $0.id < $1.id } }

    package func node(_ id: UInt32) -> FrontNode? {
        if let recent, recent.id == id { return recent }
        recent = nodes[id]
        return recent
    }

    /// The call with which messages are presented to the view of a node, if it has one.
    func presentCall(of id: UInt32) -> PresentCall? {
        // Without a reference to the node: retaining it costs as much as all else here.
        if let recent, recent.id == id { return recent.presentCall }
        return node(id)?.presentCall
    }

    /// Returns a feature's node; the one mounted last if there are several.
    package func node(of feature: FeatureID) -> FrontNode? {
        nodes.values.filter { $0.feature == feature }.max { $0.id < $1.id }
    }

    /// The front's positions in the logs, sent to the worker on return.
    var logPositions: [LogPosition] {
        let positions = nodes.values.lazy.flatMap { node in
            node.logs.entries.map { log in
                LogPosition(node: node.id, method: log.method.rawValue, next: log.window.next)
            }
        }
        return Array(positions.prefix(Limits.logPositionsMax))
    }

    /// Applies a batch as a whole. An operation that does not fit (a mount under an unknown parent
    /// or too deep, an unknown unmount) is skipped: bad output must not end a front.
    ///
    /// - Parameter isSame: whether a snapshot describes the shown tree, of the same epoch.
    func apply(_ transition: Transition, isSnapshot: Bool, isSame: Bool = false) -> [TreeChange] {
        var changes: [TreeChange] = []
        let former = isSnapshot ? nodes : [:]
        if isSnapshot, let root {
            remove(root)
            changes.append(.unmounted(root))
        }
        for operation in transition.operations {
            switch operation {
            case .mount(let mount):
                guard let node = insert(mount) else { continue }
                // The worker does not resend the log items that a returning front has.
                if let former = former[node.id], isSame { node.logs = former.logs }
                changes.append(.mounted(node))
            case .unmount(let id):
                guard let node = nodes[id] else { continue }
                remove(node)
                changes.append(.unmounted(node))
            }
        }
        return changes
    }

    private func insert(_ mount: Mount) -> FrontNode? {
        guard nodes[mount.node] == nil else { return nil }
        let node = FrontNode(mount)
        if mount.parent == 0 {
            guard root == nil else { return nil }
            root = node
        } else {
            guard let parent = nodes[mount.parent], parent.depth < Self.depthMax else { return nil }
            node.depth = parent.depth + 1
            parent.children.append(node)
        }
        nodes[node.id] = node
        return node
    }

    private func remove(_ node: FrontNode) {
        if node === root { root = nil }
        nodes[node.parent]?.children.removeAll { $0 === node }
        forget(node)
    }

    private func forget(_ node: FrontNode) {
        nodes[node.id] = nil
        recent = nil
        node.port?.close()
        for child in node.children { forget(child) }
    }

    /// Closes all ports at the front's end: the screen stays, and nothing more is sent.
    func closePorts(because reason: String) {
        for node in nodes.values { node.port?.close(because: reason) }
    }
}
