// Front: one attachment to a session that survives its connections.
//
// Ownership  owns its session, the tree and the views; the surface is weak. The session holds the
//            front until `run()` ends.
// Invariant  one connection at a time; `run()` ends when the front is detached or refused.
// Spec       Protocol/SPEC.md, section 9 (Resume)

package import NapkinCoding
package import NapkinCore
package import NapkinProtocol
package import NapkinRuntime
import NapkinTransport

/// The session that a front attaches to, and how.
public struct FrontOptions: Sendable {
    public var app: String
    /// The session's name; `nil` means the session with the app's name.
    public var session: String?
    public var isReadOnly: Bool
    /// The program and its version.
    public var client: String
    /// A name for the person or device, 1 to 128 bytes, visible to features; `nil` for none.
    public var name: String?
    /// The trace in which the front acts, as of W3C Trace Context, to which the spans of its events
    /// belong. One that is not valid is ignored.
    public var traceparent: String?
    /// Whether the surface needs the contracts as data.
    package var wantsSchema: Bool
    /// False: the front joins only an existing session, and fails with `unknownSession` otherwise.
    /// A read-only front always behaves in this way.
    public var creates: Bool
    /// False: nobody is there to answer, so questions do not wait for this front.
    public var answersAsks: Bool
    /// True: the session's other fronts are detached when this one is first attached.
    package var takesOver: Bool
    /// The epoch of the last tree that the front saw; set when it reconnects.
    package internal(set) var previousEpoch: UInt32?
    /// The front whose pages are shown in place of this one's, which is then read-only.
    package var mirrors: UInt64?

    var mayCreate: Bool { creates && !isReadOnly && mirrors == nil }

    public init(
        app: String, session: String? = nil, isReadOnly: Bool = false, client: String,
        wantsSchema: Bool = false, creates: Bool = true, answersAsks: Bool = true,
        takesOver: Bool = false
    ) {
        self.takesOver = takesOver
        self.creates = creates
        self.answersAsks = answersAsks
        self.app = app
        self.session = session
        self.isReadOnly = isReadOnly
        self.client = client
        self.wantsSchema = wantsSchema
    }
}

/// Attaches to a session, shows it, sends events, and reconnects after a loss.
@MainActor
public final class Front {
    /// How a front ended.
    public enum End: Sendable {
        case detached
        case failed(FrontError)

        /// The reason why nothing is sent any more.
        fileprivate var reason: String {
            switch self {
            case .detached: "the front has left its session"
            case .failed(let error): "the front has ended: \(error.message)"
            }
        }
    }

    package let options: FrontOptions
    package let tree = FrontTree()
    public let registry: ViewRegistry
    package weak var surface: (any Surface)?
    package private(set) var attached: Attached?
    private var shownEpoch: UInt32 = 0

    /// The delays between attempts to reconnect. They start over after a connection that lasted, or
    /// that ended without a word.
    package var delays = Backoff()

    /// Whether the surface learns the number of attached fronts. Set it before `run()`.
    package var countsFronts = false

    /// Called at each attach, before the surface learns of it.
    package var whenAttached: @MainActor () -> Void = {}
    let route: any FrontRoute
    /// The state that outlives a connection: the events, and how far they have been sent.
    let session: FrontSession
    private var phase = Phase.idle
    /// Ends the outstanding events when the front has been away for too long to resume.
    private var expiry: LoopTimer?
    /// Whether the events have expired since the front was last attached.
    private var isForgotten = false
    private var ended: CheckedContinuation<ConnectionEnd, Never>?
    private var connectedOnce = false
    /// How often the connection was closed without a refusal before the front was first attached.
    /// The front then tries again: another worker follows, or napkind says why none does.
    private var closures = 0
    /// Chosen: a launch that ends two workers is set aside, and another session may end a third.
    private static let closuresMax = 3
    private var attachedAt: ContinuousClock.Instant?
    private var explain: FrontPassage.Explanation?
    /// The cause of death of this front's previous worker, if napkind reported one. A surface may
    /// show it once the front is back.
    public private(set) var workerDeath: String?
    /// The number of that death's receipt.
    package private(set) var workerReceipt: UInt64?
    /// Whether the other side left without a goodbye.
    private var lostWorker = false
    private var isDetaching = false
    private var pause: Task<Void, Never>?
    // SAFETY: @exclusivity(unchecked), here and below: on the main actor, and no access spans a
    // call of anybody else.
    /// The message to report to the surface once its view has handled it.
    @exclusivity(unchecked) var presented: Presented?
    /// Called when a message has been presented and its handler has begun.
    @exclusivity(unchecked) package var whenPresented: (@MainActor () -> Void)?

    private enum Phase { case idle, connecting, attached }

    /// Creates a front for a session of a daemon.
    public convenience init(
        at address: DaemonAddress, options: FrontOptions, registry: ViewRegistry = ViewRegistry()
    ) {
        self.init(by: DaemonRoute(address), options: options, registry: registry)
    }

    /// Creates a front that reaches its worker over another route.
    package init(
        by route: any FrontRoute, options: FrontOptions, registry: ViewRegistry = ViewRegistry()
    ) {
        self.route = route
        self.options = options
        self.registry = registry
        session = FrontSession(client: options.client, contract: registry.contract)
    }

    package var isConnected: Bool { phase == .attached }
    /// The contracts of the session's features, if `wantsSchema` asked for them.
    package private(set) var schemas: [FeatureSchema] = []

    // MARK: - Running

    /// Attaches, and stays attached until `detach()` or a refusal that no retry can fix.
    ///
    /// The front ends if its first attempt fails, unless the other side has only closed the
    /// connection, as when its worker dies: it tries again, three times. Later attempts are
    /// repeated without limit.
    public func run() async -> End {
        let end = await runAttached()
        phase = .idle
        tree.closePorts(because: end.reason)
        expiry?.cancel()
        session.close()
        return end
    }

    private func runAttached() async -> End {
        var backoff = delays
        var random = SystemRandomNumberGenerator()
        while !isDetaching {
            do throws(FrontError) {
                let end = try await attachOnce()
                if case .peerClosed = end, !connectedOnce, !isDetaching, closures < Self.closuresMax
                {
                    closures += 1
                    lostWorker = true
                    await waitToRetry(backoff.next(using: &random))
                    continue
                }
                let final = End(end, isDetaching: isDetaching, wasAttached: connectedOnce)
                if let final { return final }
                guard phase == .attached else {
                    if end.isSilent { backoff.attachFailed() }
                    throw FrontError(end)
                }
                await disconnected(end)
                backoff.connectionEnded(
                    isSilent: end.isSilent, attachedFor: attachedAt?.duration(to: .now))
                // The first attempt is made at once.
                let delay = backoff.next(using: &random)
                guard delay > .zero else { continue }
                surface?.front(self, retriesAfter: delay, because: FrontError(end))
                await waitToRetry(delay)
            } catch {
                if isDetaching { return .detached }
                guard connectedOnce, !error.isFinal else { return .failed(error) }
                // Until now, an attempt under way could still have resumed the events.
                if isForgotten { session.expire() }
                let delay = backoff.next(using: &random)
                surface?.front(self, retriesAfter: delay, because: error)
                await waitToRetry(delay)
            }
        }
        return .detached
    }

    /// Leaves the session, which continues. `run()` returns.
    public func detach() {
        isDetaching = true
        pause?.cancel()
        session.detach()
    }

    /// Waits before the next attempt; `detach()` ends the wait.
    private func waitToRetry(_ delay: Duration) async {
        let pause = Task {
            // Cancelled by `detach()`: the caller's loop sees why.
            _ = try? await Task.sleep(for: delay)
        }
        self.pause = pause
        await pause.value
        self.pause = nil
    }

    /// The options for reconnecting: the attached session, by its newest name.
    private var currentOptions: FrontOptions {
        guard let attached else { return options }
        var current = options
        current.session = attached.session
        current.previousEpoch = attached.epoch
        return current
    }

    private func attachOnce() async throws(FrontError) -> ConnectionEnd {
        phase = .connecting
        let passage = try await route.connect(currentOptions)
        defer { passage.ended() }
        explain = passage.explain
        workerDeath = lostWorker ? passage.death : nil
        workerReceipt = lostWorker ? passage.receipt : nil
        // `detach()` was called while there was no connection to leave.
        if isDetaching {
            passage.channel.close()
            return .closed
        }
        var attach = Attach(
            isReadOnly: options.isReadOnly, contracts: registry.hashes,
            wantsSchema: options.wantsSchema, declinesAsks: options.answersAsks ? nil : true,
            // Only the first time: fronts that have attached since may stay.
            takesOver: options.takesOver && !connectedOnce ? true : nil,
            takesDeltas: true,
            countsFronts: countsFronts ? true : nil, mirrors: options.mirrors)
        attach.logs = connectedOnce ? tree.logPositions : nil
        attach.name = options.name
        attach.traceparent = options.traceparent
        return await withCheckedContinuation { continuation in
            ended = continuation
            session.connect(passage.channel, ticket: passage.ticket, attach: attach, delegate: self)
        }
    }

    private func disconnected(_ end: ConnectionEnd) async {
        phase = .connecting
        let patience = Duration.seconds(Limits.departedFrontSeconds)
        expiry = LoopTimer(after: patience) { [weak self] in self?.beForgotten() }
        if case .refused = end { lostWorker = false } else { lostWorker = true }
        var error = FrontError(.disconnected, "\(end)")
        if case .peerClosed = end {
            error.message = "its worker has ended, and is started again"
            if let explain { error = await explain(error) }
        }
        surface?.front(self, disconnected: error.message)
    }

    /// Expires the events, since the worker no longer knows the front.
    func beForgotten() {
        isForgotten = true
        session.expire()
    }

    // MARK: - Sending

    /// Sends an event to a node and waits for its handler; see `EventPort.call`.
    package func send(
        to node: UInt32, _ method: MethodID, _ encode: PayloadEncoder
    ) async throws(RemoteFault) -> Payload {
        try await NodePort(session: session, node: node).call(method, encode)
    }

    /// Asks the worker to select a node's tab; see `EventPort.select(tab:)`.
    package func select(tab name: String, of node: FrontNode) async throws(RemoteFault) {
        try await NodePort(session: session, node: node.id).select(tab: name)
    }

    /// Answers a question that was left to the surface.
    package func answer(_ id: UInt64, _ payload: Payload) {
        do {
            try session.answer(id) { (writer) throws(CBORError) in writer.append(payload.bytes) }
        } catch {
            // The answer exceeds a frame: the question stays open, as if nobody had answered.
            Anomaly.report(.unpresentable(feature: "napkin", "an answer: \(error.detail)"))
        }
    }
}

extension Front: FrontSessionDelegate {
    package func sessionAttached(_ session: FrontSession, _ attached: Attached) {
        let isReturn = connectedOnce
        let isRenamed = isReturn && self.attached?.session != attached.session
        self.attached = attached
        connectedOnce = true
        attachedAt = .now
        phase = .attached
        expiry?.cancel()
        expiry = nil
        isForgotten = false
        whenAttached()
        surface?.front(self, attached: attached)
        if isReturn {
            surface?.front(self, resumedLosing: session.takeInDoubt())
            if isRenamed { surface?.front(self, renamed: attached.session) }
        }
    }

    package func session(
        _ session: FrontSession, applied transition: Transition, isSnapshot: Bool
    ) {
        // Until the snapshot, the former schemas describe the shown tree.
        if isSnapshot { schemas = session.schemas }
        let isSame = attached?.epoch == shownEpoch
        shownEpoch = attached?.epoch ?? 0
        let changes = tree.apply(transition, isSnapshot: isSnapshot, isSame: isSame)
        for case .mounted(let node) in changes { makeView(for: node) }
        surface?.front(self, applied: changes)
    }

    private func makeView(for node: FrontNode) {
        let port = NodePort(session: session, node: node.id, name: node.feature.rawValue)
        guard let view = registry.makeView(for: node, port: port) else { return }
        node.view = view
        node.port = port
        guard let call = node.presentCall else { return }
        for state in node.states where state.method != .tabs {
            state.payload.bytes.withUnsafeBytes {
                ReceivedMessage(call, state.method, $0).receive()
            }
        }
        view.show(node.logs, call)
    }

    package func session(_ session: FrontSession, skipped: Skipped) {
        surface?.front(self, skippedStates: skipped.states, effects: skipped.effects)
    }

    package func session(
        _ session: FrontSession, asked id: UInt64, of nodeID: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        guard let node = tree.node(nodeID) else { return }
        surface?.front(self, asks: id, method, of: node, Payload(Array(payload)))
        guard let view = node.view else { return }
        let call = AskCall(id: id, session: session, feature: node.feature) { [weak self] in
            guard let self else { return }
            surface?.front(self, viewLeavesAsk: id)
        }
        view.receiver.receive(method, payload, call)
    }

    package func session(_ session: FrontSession, askEnded id: UInt64, answeredBy: String?) {
        surface?.front(self, askEnded: id, answeredBy: answeredBy)
    }

    package func session(_ session: FrontSession, renamed: Renamed) {
        attached?.session = renamed.session
        surface?.front(self, renamed: renamed.session)
    }

    package func sessionDisconnected(_ session: FrontSession, _ end: ConnectionEnd) {
        Loop.keepingResumesOnLoop { ended?.resume(returning: end) }
        ended = nil
    }

    package func session(_ session: FrontSession, eventTook duration: Duration) {
        surface?.front(self, eventTook: duration)
    }

    package func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    ) {
        let feature = tree.node(node)?.feature ?? "unmounted"
        Anomaly.report(.eventFailed(feature: feature, method: method, fault))
        surface?.front(self, failedToSend: method, to: node, fault)
    }

    package func session(_ session: FrontSession, setAside fault: RemoteFault) {
        surface?.front(self, setAside: fault)
    }
}
