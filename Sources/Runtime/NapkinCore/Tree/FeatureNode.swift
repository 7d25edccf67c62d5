// FeatureNode: one attached feature as the fronts see it: place, arguments, newest state.
//
// Ownership  owned by its router; while mounted, it holds its place (stage and parent) and, through
//            its receiver, the interactor; and the calls whose handlers have suspended themselves.
// Invariant  id != 0 exactly while mounted; states hold one value per method.

/// The receiver of a node's events, set once by the router.
@MainActor
final class NodeWiring {
    var receiver: CrossingReceiver?
}

/// The worker's half of a feature's view, in the process that owns the tree.
///
/// States that an interactor presents before its node is mounted travel with the mount.
@MainActor
package final class FeatureNode: PresentPort {
    /// The newest value of one state method.
    package struct State {
        package let method: MethodID
        package fileprivate(set) var payload: Payload
        /// Whether it may be shown before earlier messages are durable.
        var isProvisional = false
    }

    /// A node as it was when it was retired: fronts show it until they learn of its end.
    package struct Former {
        package let id: UInt32
        package let parent: UInt32
        package let slot: String
        package let presentation: Presentation
        /// The only front that shows it; `nil` if all do.
        package let front: UInt64?
        package let states: [State]
    }

    package nonisolated let feature: FeatureID
    package nonisolated let featureHash: UInt32
    nonisolated let featureType: any Feature.Type
    /// The feature's `Arguments`, as the builder gave them.
    private nonisolated let argumentsValue: any Codable & Sendable
    /// The most bytes of a log's encoded item: with the numbers before it, it fills a frame.
    static let itemBytesMax = Limits.messageBytesMax - 32

    /// The encoded arguments; empty if they cannot cross. A child with such arguments is not
    /// attached.
    package var arguments: Payload {
        if case .success(let payload) = encodedArguments { payload } else { Payload() }
    }
    /// Why the arguments cannot cross; `nil` when they can.
    var argumentsDefect: CBORError? {
        if case .failure(let error) = encodedArguments { error } else { nil }
    }
    private lazy var encodedArguments = Result { () throws(CBORError) in
        let payload = try Payload { (writer) throws(CBORError) in try writer.write(argumentsValue) }
        guard payload.bytes.count <= Limits.argumentsBytesMax else {
            throw CBORError(
                .lengthExceeded,
                "\(payload.bytes.count) bytes of arguments, where \(feature) has at most "
                    + "\(Limits.argumentsBytesMax)")
        }
        return payload
    }
    package internal(set) var slot = ""
    package internal(set) var presentation = Presentation.embed
    // SAFETY: @exclusivity(unchecked): as below.
    /// The number of the only front that shows the node, in a `FrontSlot`; `nil` if all do.
    @exclusivity(unchecked) package private(set) var front: UInt64?

    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and no access spans a
    // call of the receiver, a handler or the stage.
    /// The number that frames carry; 0 while not mounted.
    @exclusivity(unchecked) private var number: UInt32 = 0
    /// The mounted parent node; `nil` at the root.
    package private(set) var parent: FeatureNode?
    /// The newest states, in the order in which each was first presented.
    package internal(set) var states: [State] = []
    /// The newest items of the node's logs.
    @exclusivity(unchecked) package internal(set) var logs = NodeLogs()

    /// The parent's number; 0 at the root, and while the node is not mounted.
    package private(set) var parentID: UInt32 = 0
    /// Former states of the node, under numbers that it has lost and that fronts may still show.
    private var formers: [Former] = []

    private(set) var stage: (any Stage)?
    /// Weak, because the wiring leads to the interactor, whose presenter leads here.
    private weak var wiring: NodeWiring?
    @exclusivity(unchecked) private(set) var receiver: CrossingReceiver? {
        didSet { secrets = receiver?.secrets ?? [] }
    }
    /// The numbers of the receiver's events that are marked ``Secret()``.
    @exclusivity(unchecked) private var secrets: [UInt32] = []
    /// The core of the node's router, for requests that fronts may make of any node.
    weak var owner: RouterCore?
    @exclusivity(unchecked) private(set) var isRetired = false
    @exclusivity(unchecked) private var calls: [ObjectIdentifier: NodeCall] = [:]
    /// The inventory's entry of the node, and of the presenter's sender that keeps it.
    private var inventoryEntry: InventoryEntry?
    /// The sender's entry. A sender keeps its node: when the node is released, so is the sender.
    private var senderEntry: InventoryEntry?
    /// Whether a generated sender presents through the node.
    var hasSender = false
    /// The tie to the session's recorder, if the interactor's state is durable.
    var durability: DurableNode?
    /// Whether changes of the feature's interactor are recorded.
    package var isDurable: Bool { durability != nil }

    init(feature: any Feature.Type, arguments: any Codable & Sendable, wiring: NodeWiring) {
        self.feature = feature.id
        featureHash = MethodID(key: feature.id.rawValue).rawValue
        featureType = feature
        argumentsValue = arguments
        self.wiring = wiring
    }

    /// The node's number while it is mounted; otherwise 0.
    ///
    /// A computed property: a stored one that is read from another module is checked for
    /// exclusivity there (measured: a hundred instructions).
    package var id: UInt32 { number }

    package var isMounted: Bool { id != 0 }

    /// Returns whether a front that shows this front's pages shows the node.
    package func isShown(to audience: UInt64) -> Bool { front == nil || front == audience }

    /// Enters the node, and the sender that presents through it, in its feature's account.
    func enter(_ account: InventoryAccount) {
        inventoryEntry = account.open(.node)
        if hasSender { senderEntry = account.open(.sender) }
    }

    // MARK: - Place

    func mount(on stage: any Stage, under parent: FeatureNode?, for front: UInt64? = nil) {
        precondition(!isMounted, "\(feature) is mounted already")
        self.front = front
        self.stage = stage
        self.parent = parent
        parentID = parent?.id ?? 0
        receiver = wiring?.receiver
        let recorded = owner?.number ?? 0
        number = recorded == 0 ? stage.makeNodeID() : recorded
    }

    /// Returns the node as fronts show it under a number that it has lost, until
    /// `forgetFormers(where:)`.
    package func former(_ number: UInt32) -> Former? { formers.first { $0.id == number } }

    /// Forgets former nodes that no front shows: the fronts know of the end, or never had them.
    package func forgetFormers(where isGone: (UInt32) -> Bool) {
        if !formers.isEmpty { formers.removeAll { isGone($0.id) } }
    }

    /// Forgets the place and the states, and cancels the handlers that run for this node, except
    /// the handler that retires it.
    func retire() {
        if isMounted {
            formers.append(
                Former(
                    id: id, parent: parentID, slot: slot, presentation: presentation,
                    front: front, states: states))
        }
        isRetired = true
        number = 0
        stage = nil
        parent = nil
        parentID = 0
        receiver = nil
        states = []
        logs = NodeLogs()
        let cause = IncomingCall.current
        for call in calls.values where call !== cause { call.cancel() }
    }

    /// Accepts presented messages again: the node's feature has been activated again.
    func revive() { isRetired = false }

    // MARK: - Events

    /// Delivers one message to the interactor; `payload` is borrowed for this call.
    package func receive(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
    ) {
        guard let receiver else { return refuse(call) }
        guard method.isOfNodes else { return receiver.receive(method, payload, call) }
        if method == .readLog {
            receiveReading(payload, call)
        } else {
            receiveNavigation(method, payload, call)
        }
    }

    /// Whether a receiver handles the events of this method. If not, the node handles them itself,
    /// or is not mounted.
    package func hasReceiver(of method: MethodID) -> Bool { receiver != nil && !method.isOfNodes }

    /// Whether the arguments of this event are not to be written down.
    package func isSecret(_ method: UInt32) -> Bool { !secrets.isEmpty && secrets.contains(method) }

    @inline(never)
    private func refuse(_ call: IncomingCall) {
        call.fail(RemoteFault(.gone, "\(feature) is not mounted"))
    }

    /// The number of handlers that have started for this node and not returned.
    package var callCount: Int { calls.count }

    func adopt(_ call: NodeCall) { calls[ObjectIdentifier(call)] = call }
    func release(_ call: NodeCall) { calls[ObjectIdentifier(call)] = nil }

    // MARK: - PresentPort

    package func state(_ message: some CrossingMessage) {
        present(message.method) { (writer) throws(CBORError) in try message.encode(into: &writer) }
    }

    /// Presents a state that `encode` writes.
    func present(_ method: MethodID, _ encode: PayloadEncoder) {
        guard !isRetired else { return }
        durability?.presenting()
        replace(method, encode)
    }

    private func replace(_ method: MethodID, _ encode: PayloadEncoder) {
        let payload: Payload
        do {
            payload = try Payload(encoding: encode)
        } catch {
            return Anomaly.report(.unencodable(feature: feature, method: method, error))
        }
        if let index = states.firstIndex(where: { $0.method == method }) {
            // An unchanged state is already known.
            if states[index].payload == payload { return }
            states[index].payload = payload
        } else {
            states.append(State(method: method, payload: payload))
        }
        stage?.stateChanged(of: self, method)
    }

    package func effect(_ message: some CrossingMessage) {
        guard !isRetired else { return }
        durability?.presenting()
        stage?.effect(from: self, message, to: recipient)
    }

    package func append(_ message: some CrossingMessage, keeping limits: LogLimits) {
        guard !isRetired else { return }
        if !limits.isProvisional { durability?.presenting() }
        let method = message.method
        var writer = CBORWriter()
        do throws(CBORError) {
            try message.encode(into: &writer)
            guard writer.count <= Self.itemBytesMax else {
                throw CBORError(
                    .lengthExceeded,
                    "\(writer.count) bytes, where an item of a log has at most "
                        + "\(Self.itemBytesMax)")
            }
        } catch {
            return Anomaly.report(.unencodable(feature: feature, method: method, error))
        }
        let beginsAnew = LogRestart.current?.begins(method, of: self) == true
        writer.withUnsafeBytes {
            logs.append($0, to: method, keeping: limits, beginsAnew: beginsAnew)
        }
        let mayBeTakenBack = owner?.recorder?.logGrew(of: self, method) == true
        stage?.logGrew(of: self, method, by: writer.count)
        logs.trim(method, toTimes: mayBeTakenBack ? 2 : 1)
    }

    package func ask(_ message: some CrossingMessage) async throws(RemoteFault) -> Answer {
        guard let stage, !isRetired else { throw RemoteFault(.gone, "\(feature) is not mounted") }
        try CallLimit.check()
        return try await stage.ask(from: self, message, of: recipient)
    }

    /// The only front that gets an effect or a question; `nil` means all fronts.
    private var recipient: UInt64? {
        guard let addressed = Audience.addressed else { return front }
        return front == nil || front == addressed ? addressed : Audience.nobody
    }
}

extension FeatureNode {
    package func provisional(_ message: some CrossingMessage) {
        guard !isRetired else { return }
        // The recorder does not learn of it, because no handler can roll it back.
        replace(message.method) { (writer) throws(CBORError) in try message.encode(into: &writer) }
        guard let index = states.firstIndex(where: { $0.method == message.method }) else { return }
        states[index].isProvisional = true
    }

    /// Returns the newest value of `method`, encoded, if there is one.
    package func payload(of method: MethodID) -> Payload? {
        states.first { $0.method == method }?.payload
    }

    package var presentedMethods: [MethodSchema] { featureType.schema.presents }

    package var listenedMethods: [MethodSchema] { featureType.schema.listens }

    /// Whether the newest value of `method` was presented as provisional.
    package func isProvisional(_ method: MethodID) -> Bool {
        states.first { $0.method == method }?.isProvisional == true
    }
}

extension FeatureNode {
    /// A node's presented messages when a stretch first touched it.
    package struct Mark {
        package let states: [State]
        fileprivate let logs: [(method: MethodID, next: UInt64)]
    }

    /// The recorder's number for the node's router; `nil` if the recorder does not know it.
    package var routerNumber: UInt32? {
        guard let number = owner?.number, number != 0 else { return nil }
        return number
    }

    /// Continues the logs that the node had in a former worker.
    package func startLogs(at starts: [MethodID: UInt64]) { logs = NodeLogs(startingAt: starts) }

    /// Returns a snapshot of the messages presented so far.
    package func mark() -> Mark {
        Mark(states: states, logs: logs.entries.map { ($0.method, $0.window.next) })
    }

    /// Drops the items beyond a log's limits once they can no longer be rolled back.
    package func trimLog(_ method: MethodID) { logs.trim(method) }

    /// Rolls back the node's presented messages to the mark, except effects. A state that fronts
    /// may have received is sent again with its former value.
    package func reset(to mark: Mark) {
        let dropped = states
        states = mark.states
        logs.withdraw(to: mark.logs)
        guard let stage, isMounted else { return }
        for state in states {
            let changed = dropped.first { $0.method == state.method }
            if let changed, changed.payload != state.payload {
                stage.stateChanged(of: self, state.method)
            }
        }
    }
}
