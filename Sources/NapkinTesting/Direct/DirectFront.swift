// DirectFront: views of this process, on a DirectStage.
//
// Ownership  keeps its views and what waits for them; the stage keeps it while it is attached.
// Invariant  messages for the front are taken in order; a state waits once, and its newest value
//            is looked up when it is taken.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol

/// One front, with the same promises as a front behind a socket.
@MainActor
final class DirectFront: TestFront {
    enum Operation {
        case mount(Placed)
        case unmount(UInt32)
    }

    private enum Item {
        case batch([Operation])
        case state(UInt32, MethodID)
        case log(UInt32, MethodID)
        case effect(UInt32, any CrossingMessage)
        case ask(UInt64, UInt32, any CrossingMessage)
        case askEnded
        case reply(() -> Void)

        var isReply: Bool { if case .reply = self { true } else { false } }
    }

    private struct Shown {
        let node: ShownNode
        let mounted: MountedView?
        let port: DirectPort
    }

    private enum Connection { case attached, away, left }

    let journal: Journal
    let isAskable: Bool
    let isReadOnly: Bool
    /// The front's number on its stage.
    private(set) var number: UInt64
    /// The front that it mirrors, if it does.
    private let mirrored: UInt64?
    /// Events that were refused because of the front's own doing.
    private(set) var refusedEvents = 0
    private var stage: DirectStage
    private let registry: ViewRegistry
    private var shown: [Shown] = []
    private var queue: [Item] = []
    private var isHeld = false
    private var isDraining = false
    private var connection = Connection.away
    private let window = DirectWindow()
    /// Ends the events that have begun and have no reply yet.
    private var unanswered: [UInt64: (DirectCall.Outcome) -> Void] = [:]
    private var lastEvent: UInt64 = 0
    private(set) var attachments = 0
    private var logs = DirectLogs()
    private let conditions = Conditions()

    init(
        _ stage: DirectStage, _ registry: ViewRegistry, _ journal: Journal, isReadOnly: Bool,
        mirroring mirrored: UInt64?
    ) {
        self.stage = stage
        self.mirrored = mirrored
        number = stage.makeFrontID()
        self.registry = registry
        self.journal = journal
        self.isReadOnly = isReadOnly || mirrored != nil
        isAskable = !self.isReadOnly
    }

    var isMirror: Bool { mirrored != nil }
    var attached: AttachedFront {
        AttachedFront(
            id: number, client: "test", user: getuid(), isReadOnly: isReadOnly,
            isAskable: isAskable)
    }

    /// Whether the front is shown what is for the front of this number alone; `nil` is for all.
    func shows(_ recipient: UInt64?) -> Bool {
        recipient == nil || recipient == mirrored ?? number
    }

    var nodes: [ShownNode] { shown.map(\.node) }
    var isConnected: Bool { connection == .attached }
    var hasLeft: Bool { connection == .left }
    var outstandingEvents: Int { window.outstanding }

    /// Reports what waits for the front, and what was refused to it.
    func queues(as number: UInt64) -> SessionQueues.Front {
        var queues = SessionQueues.Front(front: number, isAway: false)
        queues.effects = queue.count { if case .effect = $0 { true } else { false } }
        queues.states = queue.count { if case .state = $0 { true } else { false } }
        queues.refusedEvents = refusedEvents
        return queues
    }

    // MARK: - Connection

    func attach() async {
        connection = .attached
        await stage.join(self)
    }

    func hold() { isHeld = true }

    func release() {
        isHeld = false
        drain()
    }

    func disconnect() async {
        guard connection == .attached else { return }
        leave(.away)
        journal.note("disconnected")
    }

    func reconnect() async {
        guard connection == .away else { return }
        // Replies that came meanwhile are owed; everything else is in the snapshot.
        let replies = queue.filter(\.isReply)
        queue = []
        journal.note("resumed")
        await attach()
        queue += replies
        drain()
    }

    /// The tree is gone, as if its process had ended: events without a reply end as unknown.
    func lose() async {
        await disconnect()
        queue = []
        let fault = RemoteFault(.unknown, "the session died before the event was answered")
        for id in unanswered.keys.sorted() { unanswered[id]?(.failure(fault)) }
    }

    /// Comes back, to the tree that has replaced the former one.
    func reconnect(to stage: DirectStage) async {
        self.stage = stage
        number = stage.makeFrontID()
        logs = DirectLogs()
        await reconnect()
    }

    func detach() async {
        guard connection != .left else { return }
        leave(.left)
        for item in queue { if case .reply(let reply) = item { reply() } }
        queue = []
        window.close()
        for node in shown { node.port.close() }
        await stage.forget(self)
    }

    private func leave(_ next: Connection) {
        let wasAttached = connection == .attached
        connection = next
        if wasAttached {
            stage.left(self)
            queue.removeAll { !$0.isReply }
        }
        conditions.changed()
    }

    // MARK: - From the session

    func shows(moreThan count: Int) async {
        await conditions.until { [self] in attachments > count || connection == .left }
    }

    func show(snapshot: [Placed]) {
        var operations: [Operation] = shown.first.map { [.unmount($0.node.id)] } ?? []
        operations += snapshot.map { .mount($0) }
        take(.batch(operations))
        for placed in snapshot {
            logs.joined(placed)
            grow(placed)
        }
        attachments += 1
        conditions.changed()
    }

    func apply(_ operations: [Operation]) {
        take(.batch(operations))
        for case .mount(let placed) in operations { grow(placed) }
    }

    private func grow(_ placed: Placed) {
        for (method, _) in placed.node.logs.entries { logGrew(of: placed.id, method) }
    }

    func logGrew(of node: UInt32, _ method: MethodID) {
        if case .log(node, method)? = queue.last { return }
        let isWaiting =
            isHeld
            && queue.contains {
                if case .log(node, method) = $0 { true } else { false }
            }
        if !isWaiting { take(.log(node, method)) }
    }

    func stateChanged(of node: UInt32, _ method: MethodID) {
        let isWaiting = queue.contains {
            if case .state(node, method) = $0 { true } else { false }
        }
        if !isWaiting { take(.state(node, method)) }
    }

    func effect(of node: UInt32, _ message: any CrossingMessage) {
        let waiting = queue.count { if case .effect = $0 { true } else { false } }
        if waiting < Limits.effectQueueMax { take(.effect(node, message)) }
    }

    func ask(_ id: UInt64, _ node: UInt32, _ message: any CrossingMessage) {
        take(.ask(id, node, message))
    }

    func askEnded(_ id: UInt64) { take(.askEnded) }

    /// Delivers an event's reply, in its place among the session's messages.
    private func reply(_ body: @escaping () -> Void) { take(.reply(body)) }

    private func take(_ item: Item) {
        guard connection != .left else {
            if case .reply(let reply) = item { reply() }
            return
        }
        queue.append(item)
        drain()
    }

    /// Handling a message may add to the queue: the same loop then takes the new one.
    private func drain() {
        guard !isDraining else { return }
        isDraining = true
        while !isHeld, connection == .attached, !queue.isEmpty { perform(queue.removeFirst()) }
        isDraining = false
    }

    private func perform(_ item: Item) {
        switch item {
        case .batch(let operations): perform(operations)
        case .state(let id, let method):
            // Its newest value may have been presented after items that wait behind it.
            for case .log(id, let log) in queue { showItems(of: id, log) }
            guard let message = stage.node(id)?.message(of: method) else { return }
            present(message, to: id)
        case .log(let id, let method): showItems(of: id, method)
        case .effect(let id, let message): present(message, to: id)
        case .ask(let question, let id, let message):
            guard let node = shown.first(where: { $0.node.id == id }) else { return }
            node.mounted?.receiver.receive(
                message, DirectAsk(question, of: node.node.feature, self, stage))
        case .askEnded: journal.note("ask ended")
        case .reply(let reply): reply()
        }
    }

    private func showItems(of id: UInt32, _ method: MethodID) {
        guard let log = stage.node(id)?.logs[method] else { return }
        log.withItems(from: logs.start(of: log, id, method)) { items in
            let (new, gap) = logs.received(items, of: id, method)
            let view = shown.first { $0.node.id == id }?.mounted
            view?.show(new, of: method, after: gap, IncomingCall())
        }
    }

    private func present(_ message: any CrossingMessage, to id: UInt32) {
        shown.first { $0.node.id == id }?.mounted?.receiver.receive(message, IncomingCall())
    }

    private func perform(_ operations: [Operation]) {
        let lines = operations.compactMap { operation -> String? in
            switch operation {
            case .mount(let placed): mount(placed)
            case .unmount(let id): unmount(id)
            }
        }
        logs.keep { id in shown.contains { $0.node.id == id } }
        if !lines.isEmpty { journal.note(lines.joined(separator: "; ")) }
    }

    private func mount(_ placed: Placed) -> String {
        let port = DirectPort(placed.id, self, stage)
        let mounted = registry.makeView(for: placed.node, port: port)
        let node = ShownNode(
            id: placed.id, parent: placed.parent, feature: placed.node.feature,
            slot: placed.slot, presentation: placed.presentation, view: mounted?.view)
        shown.append(Shown(node: node, mounted: mounted, port: port))
        for state in placed.states { present(state, to: placed.id) }
        mounted?.show(logs.tails(of: placed.id), IncomingCall())
        return node.mountLine
    }

    private func unmount(_ id: UInt32) -> String? {
        guard let top = shown.first(where: { $0.node.id == id }) else { return nil }
        var gone: Set<UInt32> = [id]
        // Parents come before their children.
        for child in shown where gone.contains(child.node.parent) { gone.insert(child.node.id) }
        for node in shown where gone.contains(node.node.id) { node.port.close() }
        shown.removeAll { gone.contains($0.node.id) }
        return top.node.unmountLine
    }

    // MARK: - To the session

    /// Runs the handler of an event and returns its result.
    func send(
        _ message: any CrossingMessage, to id: UInt32
    ) async throws(RemoteFault) -> any Sendable {
        let event = DirectEvent()
        try begin(id, event) { node, call in node.receive(message, call) }
        return try await event.outcome()
    }

    /// Calls `deliver`, which hands an event to its node, when there is credit for it.
    func begin(
        _ id: UInt32, _ event: DirectEvent, isReading: Bool = false,
        deliver: @escaping (FeatureNode, DirectCall) -> Void
    ) throws(RemoteFault) {
        guard isConnected else { throw RemoteFault(.notExecuted, "not connected to the session") }
        try CallLimit.check()
        if isReadOnly, !isReading, stage.node(id)?.front != number {
            refusedEvents += 1
            throw RemoteFault(.refused, "this front is attached read-only")
        }
        window.enter { [self] isGranted in
            guard isGranted else {
                let fault = RemoteFault(.notExecuted, "the front has left the session")
                return event.end(.failure(fault))
            }
            // It was given up while it waited for credit.
            if event.hasEnded { return window.leave() }
            lastEvent += 1
            let number = lastEvent
            unanswered[number] = { [self] outcome in
                guard unanswered.removeValue(forKey: number) != nil else { return }
                event.end(outcome)
                window.leave()
            }
            let answer = { [self] (outcome: DirectCall.Outcome) in
                reply { [self] in unanswered[number]?(outcome) }
            }
            guard let node = stage.node(id), shows(node.front) else {
                refusedEvents += 1
                return answer(.failure(RemoteFault(.gone, "node \(id) no longer exists")))
            }
            let call = DirectCall(node, attached, answer)
            event.call = call
            deliver(node, call)
        }
    }
}

extension ShownNode {
    /// The feature's name without its app's name: `pit-board`.
    private var name: String {
        feature.rawValue.split(separator: ".", maxSplits: 1).last.map(String.init)
            ?? feature.rawValue
    }

    var mountLine: String {
        slot.isEmpty ? "+ \(name)" : "+ \(name) in \(slot) (\(presentation))"
    }

    var unmountLine: String { "- \(name)" }
}
