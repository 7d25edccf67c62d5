// TestFront: a real front whose connections go through a wire.
//
// Ownership  owns its front, the route and the wire.

public import NapkinCore
public import NapkinFront
import NapkinProtocol
import NapkinTransport

/// A front with a controlled connection, to a session of this process or of a daemon.
///
/// Its journal has a line for each event: `+ pit-board in pitBoard (push)`, `- pit-board`,
/// `disconnected`, `resumed`, `ask ended`, and the lines of its recordings.
@MainActor
public final class TestFront {
    public let front: Front
    package let wire: Wire
    public let journal: Journal
    /// How the front ended, once it has.
    public private(set) var end: Front.End?
    private let route: WireRoute
    private let witness: Witness

    /// - Parameters:
    ///   - route: leads to the session's worker, through the inserted wire.
    ///   - options: which session to attach to, and how.
    ///   - registry: the front's views.
    ///   - journal: receives a line for each event.
    ///   - wire: carries the bytes of all its connections in turn.
    package init(
        by route: any FrontRoute, options: FrontOptions, registry: ViewRegistry,
        journal: Journal = Journal(), wire: Wire = Wire()
    ) {
        self.wire = wire
        self.journal = journal
        self.route = WireRoute(route, wire)
        front = Front(by: self.route, options: options, registry: registry)
        witness = Witness(journal)
        front.surface = witness
        front.whenPresented = { [witness] in witness.changed() }
    }

    /// Attaches; returns when the front shows the session.
    ///
    /// Throws the error that ended the front instead.
    public func attach() async throws(FrontError) {
        let front = front
        Task { @MainActor in
            let end = await front.run()
            self.end = end
            self.witness.changed()
        }
        await witness.until { [unowned self] in end != nil || !front.tree.isEmpty }
        if case .failed(let error) = end { throw error }
    }

    /// The shown nodes, in the order in which they were mounted.
    public var nodes: [ShownNode] { front.tree.nodesInOrder.map { ShownNode($0) } }

    /// Returns a feature's view; the one mounted last if there are several.
    public func view<View>(of feature: FeatureID, as type: View.Type = View.self) -> View? {
        nodes.last { $0.feature == feature }?.view as? View
    }

    public func shows(_ feature: FeatureID) -> Bool { nodes.contains { $0.feature == feature } }

    /// The front's number in its session; 0 before it is attached.
    public var number: UInt64 { front.attached?.front ?? 0 }
    package var isConnected: Bool { front.isConnected }
    /// The number of times that the front was shown the whole session.
    package var attachments: Int { witness.attachments }

    /// Returns when `attachments` is more than `count`, or the front has ended.
    public func shows(moreThan count: Int) async {
        await witness.until { [unowned self] in end != nil || witness.attachments > count }
    }

    /// The number of events that were sent and have no reply.
    package var outstandingEvents: Int { front.outstandingEvents }

    /// Stops reading until ``release()``: messages for the front wait, as their class demands.
    public func hold() { wire.hold(.toFront) }
    public func release() { wire.release(.toFront) }

    /// Cuts the connection immediately.
    public func disconnect() async {
        route.isBlocked = true
        wire.cut()
        await witness.until { [unowned self] in !front.isConnected }
    }

    /// Lets the front reconnect. Returns when it shows the session again.
    public func reconnect() async {
        let before = witness.attachments
        route.isBlocked = false
        await shows(moreThan: before)
    }

    /// Leaves the session for good.
    public func detach() async {
        front.detach()
        route.isBlocked = false
        await witness.until { [unowned self] in end != nil }
    }
}

/// A front's route with a wire in it; every attempt fails while it is blocked.
@MainActor
private final class WireRoute: FrontRoute {
    private let route: any FrontRoute
    private let wire: Wire
    private let conditions = Conditions()

    init(_ route: any FrontRoute, _ wire: Wire) {
        self.route = route
        self.wire = wire
    }

    var isBlocked = false { didSet { conditions.changed() } }

    func connect(_ options: FrontOptions) async throws(FrontError) -> FrontPassage {
        while isBlocked { await conditions.until { [unowned self] in !isBlocked } }
        let passage = try await route.connect(options)
        do throws(TransportError) {
            return FrontPassage(
                channel: try wire.insert(before: passage.channel), ticket: passage.ticket,
                ended: passage.ended)
        } catch {
            passage.ended()
            throw FrontError(.disconnected, "the wire cannot be made: \(error)")
        }
    }
}

/// Notes the front's changes, and wakes the tasks that wait for them.
@MainActor
private final class Witness: Surface {
    private let journal: Journal
    /// The number of snapshots shown: each is the first batch of a connection.
    private(set) var attachments = 0
    private var awaitsSnapshot = false
    private let conditions = Conditions()

    init(_ journal: Journal) { self.journal = journal }

    func until(_ isMet: @escaping () -> Bool) async { await conditions.until(isMet) }

    func changed() { conditions.changed() }

    func front(_ front: Front, attached: Attached) { awaitsSnapshot = true }

    func front(_ front: Front, applied changes: [TreeChange]) {
        let lines = changes.map { change in
            switch change {
            case .mounted(let node): ShownNode(node).mountLine
            case .unmounted(let node): ShownNode(node).unmountLine
            }
        }
        journal.note(lines.joined(separator: "; "))
        if awaitsSnapshot { attachments += 1 }
        awaitsSnapshot = false
        changed()
    }

    func front(
        _ front: Front, presented method: MethodID, of node: FrontNode, _ payload: Payload
    ) { changed() }

    func front(
        _ front: Front, effect method: MethodID, of node: FrontNode,
        _ payload: UnsafeRawBufferPointer
    ) {
        changed()
    }

    func front(
        _ front: Front, appended items: LogItems, to method: MethodID, of node: FrontNode,
        after gap: LogGap?
    ) { changed() }

    func front(_ front: Front, askEnded id: UInt64, answeredBy: String?) {
        journal.note("ask ended")
        changed()
    }

    func front(
        _ front: Front, failedToSend method: MethodID, to node: UInt32, _ fault: RemoteFault
    ) {
        journal.note("event failed: \(fault.code)")
    }

    func front(_ front: Front, disconnected reason: String) {
        journal.note("disconnected")
        changed()
    }

    func front(_ front: Front, resumedLosing lost: Int) {
        journal.note("resumed")
        changed()
    }
}

/// A node as a front shows it.
@MainActor
public struct ShownNode {
    public let id: UInt32
    /// The parent's number; 0 at the root.
    public let parent: UInt32
    public let feature: FeatureID
    public let slot: String
    public let presentation: Presentation
    /// The object that the registered closure created; `nil` without one.
    public let view: Any?
}

extension ShownNode {
    init(_ node: FrontNode) {
        self.init(
            id: node.id, parent: node.parent, feature: node.feature, slot: node.slot,
            presentation: node.presentation, view: node.view?.view)
    }

    /// The feature's name without its app's name: `pit-board`.
    private var name: String {
        feature.rawValue.split(separator: ".", maxSplits: 1).last.map(String.init)
            ?? feature.rawValue
    }

    var mountLine: String { slot.isEmpty ? "+ \(name)" : "+ \(name) in \(slot) (\(presentation))" }

    var unmountLine: String { "- \(name)" }
}
