// FeatureNode: one attached feature as the fronts see it: place, arguments, newest state.
//
// Layer      core.
// Isolation  @MainActor: the loop thread of the process.
// Ownership  owned by its router; while it is mounted it holds its place (stage and parent) and, by
//            its receiver, the interactor.
// Invariant  id != 0 exactly while mounted; states hold one value per method.

/// The receiver of a node's events, set once by the router.
@MainActor
final class NodeWiring {
    var receiver: (any CrossingReceiver)?
}

/// The view's half of a feature in the process that owns the tree.
///
/// What an interactor presents before its node is mounted is kept and travels with the mount.
@MainActor
public final class FeatureNode: PresentPort {
    /// The newest value of one state method.
    public struct State {
        public let method: MethodID
        public fileprivate(set) var payload: Payload
    }

    public nonisolated let feature: FeatureID
    public nonisolated let arguments: Payload
    public internal(set) var slot = ""
    public internal(set) var presentation = Presentation.embed

    /// The number that frames carry; 0 while not mounted.
    @exclusivity(unchecked) public private(set) var id: UInt32 = 0
    /// The mounted node that this one hangs under; `nil` at the root.
    public private(set) var parent: FeatureNode?
    /// In the order in which each was first presented.
    public private(set) var states: [State] = []

    private var stage: (any Stage)?
    /// Weak: the wiring leads to the interactor, whose presenter leads here.
    private weak var wiring: NodeWiring?
    @exclusivity(unchecked) private var receiver: (any CrossingReceiver)?
    /// The core of the node's router, for what fronts ask of any node.
    weak var owner: RouterCore?
    @exclusivity(unchecked) private var isRetired = false
    @exclusivity(unchecked) private var calls: [ObjectIdentifier: NodeCall] = [:]

    init(feature: FeatureID, arguments: Payload, wiring: NodeWiring) {
        self.feature = feature
        self.arguments = arguments
        self.wiring = wiring
    }

    public var isMounted: Bool { id != 0 }

    /// Whether this is its number now. Cheaper than to read it from another module, where the
    /// access would be checked for exclusivity (measured: a hundred instructions).
    public func isMounted(as number: UInt32) -> Bool { id == number }

    // MARK: - Place

    func mount(on stage: any Stage, under parent: FeatureNode?) {
        precondition(!isMounted, "\(feature) is mounted already")
        self.stage = stage
        self.parent = parent
        receiver = wiring?.receiver
        id = stage.makeNodeID()
    }

    /// Forgets the place and the states, and cancels the handlers that run for this node, except
    /// the one that is the cause.
    func retire() {
        isRetired = true
        id = 0
        stage = nil
        parent = nil
        receiver = nil
        states = []
        let cause = TaskIdentity.current
        for call in calls.values where call.identity != cause { call.cancel() }
    }

    /// Takes presents again: the node's feature is activated once more.
    func revive() {
        isRetired = false
    }

    // MARK: - Events

    /// Delivers one message to the interactor; `payload` is borrowed for this call.
    public func receive(
        _ method: MethodID, _ payload: UnsafeRawBufferPointer, _ call: IncomingCall
    ) {
        guard let receiver else {
            call.fail(RemoteFault(.gone, "\(feature) is not mounted"))
            return
        }
        if method == .dismiss || method == .selectTab {
            return receiveNavigation(method, payload, call)
        }
        receiver.receive(method, payload, call)
    }

    /// The handlers that have started for this node and not returned.
    public var callCount: Int { calls.count }

    func adopt(_ call: NodeCall) { calls[ObjectIdentifier(call)] = call }
    func release(_ call: NodeCall) { calls[ObjectIdentifier(call)] = nil }

    // MARK: - PresentPort

    public func state(_ method: MethodID, _ encode: PayloadEncoder) {
        guard !isRetired, let payload = encoded(method, encode) else { return }
        if let index = states.firstIndex(where: { $0.method == method }) {
            // A state that has not changed is known already.
            guard states[index].payload != payload else { return }
            states[index].payload = payload
        } else {
            states.append(State(method: method, payload: payload))
        }
        stage?.stateChanged(of: self, method)
    }

    public func effect(_ method: MethodID, _ encode: PayloadEncoder) {
        guard !isRetired else { return }
        stage?.effect(from: self, method, encode)
    }

    public func ask(
        _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        guard let stage, !isRetired else {
            throw RemoteFault(.gone, "\(feature) is not mounted")
        }
        guard let payload = encoded(method, encode) else {
            throw RemoteFault(.failed, "the question of \(feature) could not be encoded")
        }
        return try await stage.ask(from: self, method, payload)
    }

    /// The newest value of `method`, if there is one.
    public func payload(of method: MethodID) -> Payload? {
        states.first { $0.method == method }?.payload
    }

    private func encoded(_ method: MethodID, _ encode: PayloadEncoder) -> Payload? {
        do {
            return try Payload(encoding: encode)
        } catch {
            Anomaly.report(.unencodable(feature: feature, method: method, error))
            return nil
        }
    }
}
