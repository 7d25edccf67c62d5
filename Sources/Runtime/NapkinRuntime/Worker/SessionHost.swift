// SessionHost: one session of an app in its worker: its life and its fronts.
//
// Ownership  owned by the worker; owns the root router, the stage and the fronts.
// Spec       Protocol/SPEC.md, section 9 (Resume)

import NapkinCoding
package import NapkinCore
package import NapkinLedger
package import NapkinProtocol
import NapkinTransport

/// Launches one tree of features, and attaches any number of fronts to it.
@MainActor
package final class SessionHost {
    package private(set) var name: String
    /// The session's earlier names, the newest last.
    package private(set) var formerNames: [String] = []
    package let app: String
    package let features: [any Feature.Type]
    /// The number of former names that still find the session. Chosen: people seldom rename.
    static let formerNamesMax = 16
    private let deepLinks: [DeepLinkRoute]
    /// Whether any front has ever asked for the number of fronts.
    var hasCounted = false
    /// Shows the tree to the fronts.
    let stage: SessionStage
    /// The connected fronts as the app sees them, in order of arrival.
    let presence: StateCell<[AttachedFront]>
    /// The events per second that may run for each front; `nil` for no limit.
    let eventRate: EventRate?
    /// Called after a front has left.
    package var onFrontGone: (@MainActor () -> Void)?
    private(set) var root: (any LaunchRouting)?
    /// The tree's inventory, kept after the tree has ended.
    private var inventory: TreeInventory?
    var attendance: AttendanceStateMachine
    /// The fronts that are connected, or away and not forgotten, by number.
    var seats: [UInt64: FrontSeat] = [:]
    /// The forgotten fronts whose handlers were running when last checked.
    var forgotten: [FrontSeat] = []
    /// The number of connections that fronts have made to the session.
    var connections: UInt64 = 0
    var forgetting: LoopTimer?
    /// The number of the newest tracer.
    private var newestTracer: UInt64 = 0

    package init(
        name: String, app: String, epoch: UInt32, features: [any Feature.Type],
        deepLinks: [DeepLinkRoute] = [], presence: StateCell<[AttachedFront]> = StateCell([]),
        eventRate: EventRate? = nil
    ) {
        self.eventRate = eventRate
        self.presence = presence
        self.name = name
        self.app = app
        self.features = features
        stage = SessionStage(
            name: name, epoch: epoch, list: FeatureList(features, of: app))
        self.deepLinks = deepLinks
        attendance = AttendanceStateMachine(epoch: epoch)
    }

    package var epoch: UInt32 { stage.epoch }

    package var ledger: SessionLedger? { stage.ledger }

    /// The fronts that are connected and have been shown the tree, in order of arrival.
    package var fronts: [FrontSeat] { stage.fronts }

    package var nodeCount: Int { stage.mounted.count }

    /// The number of questions that await a front's answer.
    package var openQuestions: Int { stage.asks.count }

    /// The number of event handlers that have started and not returned.
    package var runningHandlers: Int { stage.mounted.nodes.reduce(0) { $0 + $1.callCount } }

    /// The features that were shown without being listed.
    package var unlisted: [UnlistedFeature] { stage.list.unlisted }

    // MARK: - Life

    /// Launches the app's tree on this stage.
    package func launch(_ root: any LaunchRouting) async {
        precondition(self.root == nil, "session \(name) has a tree already")
        self.root = root
        for defect in deepLinks.compactMap({ $0.defect(on: root) }) {
            Anomaly.report(.unusableRoute(defect))
        }
        await root.launch(on: stage)
        inventory = root.core.inventory
        // Routing that was requested meanwhile belongs to the first screen.
        await root.core.waitForRouting()
        restoreFronts()
    }

    /// Tells the fronts the reason, then shuts the tree down.
    package func end(_ refusal: Refusal) async {
        dismissFronts(refusal)
        stage.observer?.end()
        forgetting?.cancel()
        let root = self.root
        self.root = nil
        await root?.shutDown()
    }

    /// Renames the session and tells its fronts.
    package func rename(to name: String) {
        formerNames.removeAll { $0 == name }
        formerNames.append(self.name)
        formerNames.removeFirst(max(0, formerNames.count - Self.formerNamesMax))
        FlightRecorder.takenBack[name] = FlightRecorder.takenBack.removeValue(forKey: self.name)
        self.name = name
        stage.flightName = FlightName(name)
        ledger?.renamed(to: name)
        for front in fronts { front.ordered(FrameHeader(.renamed), Renamed(session: name)) }
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

    // MARK: - The ledger

    /// The durability of the session's states; `nil` if nothing is stored.
    package var durability: String? { stage.journal?.durability.rawValue }

    /// Stores the session in this ledger. Call it before the tree is launched.
    package func keep(in ledger: SessionLedger) {
        precondition(seats.isEmpty, "a session is kept from its beginning")
        stage.keep(in: ledger)
        attendance = AttendanceStateMachine(epoch: epoch)
        ledger.session = self
    }

    /// Handles input from outside: the changes of a handler that it starts or resumes are recorded
    /// apart from others.
    func handling(_ body: () -> Void) {
        guard let ledger else { return body() }
        ledger.handling(nil, body)
    }

    /// Holds back the session's output until its changes are stored, because recording has begun.
    package func becameDurable() {
        stage.beginRecording()
        // Includes fronts that have not been shown the tree yet.
        for seat in seats.values.map(\.self) { seat.hold() }
    }

    /// Counts of the changes that handlers have made to stored state; `nil` if nothing is stored.
    var ledgerCounts: [LedgerCount]? {
        stage.recorder?.handlerCounts.map { counted in
            var count = LedgerCount(feature: counted.feature, method: counted.method)
            (count.records, count.bytes, count.begun) = (
                counted.records, counted.bytes, counted.begun
            )
            return count
        }
    }

    /// Restores the records of fronts that were away, so that they can come back and learn which of
    /// their events were interrupted.
    func restoreFronts() {
        guard let ledger, ledger.defect == nil else { return }
        defer { ledger.inputs.ready() }
        guard !ledger.isDormant else { return }
        ledger.endStretch()
        let image = ledger.image
        let now = Loop.shared.now
        attendance.restored(image.fronts.map(\.front), newest: image.newestFront, at: now)
        for front in image.fronts where seats[front.front] == nil {
            let seat = FrontSeat(front.front, session: self)
            seat.restore(front)
            seats[front.front] = seat
        }
        forgetDeparted()
    }

    /// The reason to refuse new fronts while a change cannot be stored for lack of room.
    var shortage: Refusal? {
        guard let journal = stage.journal, journal.isWaitingForRoom else { return nil }
        return Refusal(.overloaded, "session '\(name)' waits: \(journal.refusal ?? "no room")")
    }

    /// Disconnects the fronts because their changes cannot be stored; they come back later.
    package func roomIsMissing() {
        guard let shortage else { return }
        for seat in seats.values.map(\.self) { seat.refuseUnkept(shortage) }
    }

    // MARK: - Passivation

    /// Whether the session could leave memory and return unnoticed: all of its interactors are
    /// durable, no work is under way, and no front is attached.
    package var isPassive: Bool {
        guard let ledger, ledger.inputs.isAtRest, let root else { return false }
        return seats.values.allSatisfy(\.isAway) && stage.observer == nil && openQuestions == 0
            && runningHandlers == 0
            && forgotten.allSatisfy { $0.machine.events.runningEvents == 0 }
            && Self.isAtRest(root.core)
    }

    private static func isAtRest(_ core: RouterCore) -> Bool {
        core.durable != nil && !core.isInProcess
            && core.interactable.lifecycle.boundTaskCount == 0
            && core.childCores.allSatisfy(isAtRest)
    }

    /// Counts connections and records. A changed number shows that the session has been used since
    /// the last comparison.
    package var uses: UInt64 { connections &+ (ledger?.recordCount ?? 0) }

    // MARK: - For tools

    /// - Parameter withInventory: whether to include the tree's inventory.
    package func tree(withInventory: Bool = true) -> SessionTree {
        let workflows = stage.fronts.flatMap { $0.workflows.infos(of: $0.id) }
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

    // MARK: - Observing

    /// Returns the figures since measuring began, and keeps measuring for a while.
    package func figures() async -> FigureTable { await observing.figures(of: name) }

    /// Returns the crossings since the tracer's last request; waits a while if there are none.
    package func trace(
        _ tracer: UInt64?, feature: String?, values: Bool
    ) async throws(Refusal) -> TraceBatch {
        guard let number = tracer else {
            newestTracer += 1
            let made = observing.makeTracer(newestTracer, feature: feature, wantsValues: values)
            guard let made else {
                throw Refusal(
                    .overloaded,
                    "\(Limits.tracersMax) tools already trace session '\(name)': end one of them")
            }
            // Answer at once, so that the caller knows from which moment on the trace is complete.
            return made.begin()
        }
        guard let known = stage.observer?.tracer(number) else {
            throw Refusal(
                .badRequest,
                "tracer \(number) of session '\(name)' has been forgotten: it asked for nothing "
                    + "for \(Limits.inspectionSeconds) s; start again")
        }
        return await known.fetch()
    }

    private var observing: SessionObserver {
        if let observer = stage.observer { return observer }
        let made = SessionObserver(of: stage, features)
        stage.observer = made
        return made
    }
}

extension SessionHost: RecordedSession {
    package func event(of call: IncomingCall) -> BegunEvent? {
        (call as? EventCall)?.event(of: self)
    }

    package var knownFronts: [FrontChange] {
        seats.values.map { seat in
            FrontChange(
                front: seat.id, started: seat.machine.events.started,
                traceparent: seat.machine.attach.trace?.text)
        }
    }

    package var newestFront: UInt64 { attendance.newest }

    package var rootCore: RouterCore? { root?.core }

    package func signature(of method: UInt32, in feature: FeatureID) -> String {
        let schema = features.first { $0.id == feature }?.schema
        let known = schema?.listens.first { MethodID(key: $0.key).rawValue == method }
        return known?.key ?? "\(method)"
    }

    package func begins(_ input: ScheduledInput, of feature: FeatureID, in call: IncomingCall) {
        FlightRecorder.begin(noted(input, of: feature), call)
    }

    package func changes() { FlightRecorder.changed() }

    package func death(
        in input: ScheduledInput, of feature: FeatureID
    ) -> (receipt: UInt64, isSetAside: Bool)? {
        FlightRecorder.suspect(noted(input, of: feature)).map { ($0.receipt, $0.isSetAside) }
    }

    private func noted(_ input: ScheduledInput, of feature: FeatureID) -> FlightInput {
        let kind: FlightInput.Kind =
            switch input.kind {
            case .firing: .firing
            case .attempt: .job
            case .death: .deadJob
            }
        return FlightInput(
            kind, session: name, node: input.node,
            feature: MethodID(key: feature.rawValue).rawValue,
            method: MethodID(key: input.method).rawValue, sequence: input.id,
            hash: input.arguments.withUnsafeBytes { FlightHash.value(of: $0) }, epoch: epoch,
            isLast: input.isLast ? true : nil)
    }

    package func withdraw(_ frames: [[UInt8]]) {
        for front in stage.fronts { front.withdraw(frames) }
    }

    package func interruption(of sequence: UInt64) -> [UInt8] {
        let fault = RemoteFault(
            .interrupted,
            "the worker ended while this was under way: what it had changed until then is kept")
        do {
            return try fault.frame(answering: sequence)
        } catch {
            preconditionFailure("a fault of two short texts cannot be encoded: \(error)")
        }
    }
}

extension SessionInventory {
    fileprivate init(_ report: InventoryReport) {
        let counts = report.counts.map {
            Count(
                kind: "\($0.kind)", created: $0.created, released: $0.released, left: $0.left)
        }
        let remnants = report.remnants.prefix(Self.remnantsMax).map {
            Remnant(owner: $0.owner, what: $0.what, count: $0.count)
        }
        self.init(counts: counts, remnants: remnants)
    }
}
