// SessionStage: shows each connected front the part of a session's tree that it may see.
//
// Ownership  owned by the session; owns the mounted nodes and the output for all fronts.
// Invariant  `mounted` contains every node that fronts have been shown.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

import NapkinCoding
package import NapkinCore
import NapkinLedger
import NapkinProtocol

/// Shows one tree of features to any number of fronts.
@MainActor
package final class SessionStage: Stage {
    // SAFETY: @exclusivity(unchecked), here and below: all access is on the main actor. Loops over
    // the fronts use a copy of the list, and code called by the map of nodes does not reenter here.
    /// Distinguishes this tree from the session's earlier ones.
    @exclusivity(unchecked) private(set) var epoch: UInt32
    /// The connected fronts, in order of arrival.
    @exclusivity(unchecked) private(set) var fronts: [FrontSeat] = []
    /// The connected fronts that see a front's pages, by that front's number.
    private var viewers: [UInt64: [FrontSeat]] = [:]
    @exclusivity(unchecked) private(set) var mounted = MountedNodes()
    private(set) var list: FeatureList
    private var nextNode: UInt32 = 0
    /// The session's name, as the worker notes it before each event.
    @exclusivity(unchecked) var flightName: FlightName
    /// The events whose handlers have begun and not ended. Wraps: memory has no room for 65,536.
    @exclusivity(unchecked) var waitingEvents: UInt16 = 0
    /// The routers that have a separate page for each front.
    package let pages = FrontPages()
    let asks = AskBoard()
    let deltas = DeltaCache()
    /// Effects presented while no front could see them.
    var unseenEffects = 0
    /// The frames that are being sent to all fronts.
    @exclusivity(unchecked) var encoded = CBORWriter()
    @exclusivity(unchecked) var shared = SharedOutput()
    package var isFlushScheduled = false
    @exclusivity(unchecked) var observer: SessionObserver?
    /// The session's ledger; `nil` if nothing of the session is stored, whatever its features.
    private(set) var ledger: SessionLedger?
    /// The ledger, once anything is recorded. Sessions that record nothing find `nil` here.
    @exclusivity(unchecked) private(set) var recorder: SessionLedger?

    init(name: String, epoch: UInt32, list: FeatureList) {
        flightName = FlightName(name)
        self.epoch = epoch
        self.list = list
    }

    /// Whether messages pass without being recorded or observed.
    @inline(__always)
    var sendsAtOnce: Bool { recorder == nil && observer == nil }

    /// The journal for which the session's output waits; `nil` until the first durable change.
    var journal: Journal? { recorder?.journal }

    /// Records the tree in this ledger from its beginning.
    func keep(in ledger: SessionLedger) {
        self.ledger = ledger
        epoch = ledger.journal.epoch(of: ledger.image.title)
        guard !ledger.isDormant else { return }
        beginRecording()
        asks.restored(after: .random(in: 0..<AskBoard.startMax))
    }

    /// Begins to hold output, which depends on the ledger from now on.
    func beginRecording() { recorder = ledger }

    /// Returns the mounted node with that number.
    func node(_ id: UInt32) -> FeatureNode? {
        guard let node = mounted.node(id), node.id == id else { return nil }
        return node
    }

    // MARK: - Fronts

    /// Adds a front to the connected ones and to the viewers of the pages that it shows.
    private func list(_ front: FrontSeat) {
        front.isListed = true
        fronts.append(front)
        viewers[front.audience, default: []].append(front)
    }

    /// Shows a front nothing more, until it is listed again.
    func unlist(_ front: FrontSeat) {
        guard front.isListed else { return }
        front.isListed = false
        front.output.treeHidden()
        fronts.removeAll { $0 === front }
        viewers[front.audience]?.removeAll { $0 === front }
        if viewers[front.audience]?.isEmpty == true { viewers[front.audience] = nil }
    }

    /// Returns the connected fronts that see output for this front alone: the front and its
    /// mirrors; all connected fronts for `nil`.
    func fronts(showing audience: UInt64?) -> [FrontSeat] {
        guard let audience else { return fronts }
        return viewers[audience] ?? []
    }

    /// Sends the whole tree to a front, and its changes from now on.
    func show(_ front: FrontSeat, _ attach: Attach) {
        let operations = mounted.shown(to: front.audience)
            .map { self.operation(mounting: $0.node, as: $0.id) }
        send(operations, flags: Transition.snapshotFlag, to: [front])
        list(front)
        showUncertainStates(to: front)
        showLogs(to: front, attach)
        asks.frontJoined(front)
    }

    // MARK: - The tree

    package var treeRecorder: (any TreeRecorder)? { ledger }

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
        guard !fronts.isEmpty else { return }
        for (audience, operations) in batch.parts(for: viewers.keys) {
            send(operations, flags: 0, to: fronts(showing: audience))
        }
        showLogs(mountedIn: operations)
        showUncertainStates(mountedIn: operations)
    }

    /// Sends a transition in as many frames as it needs.
    private func send(_ operations: [Transition.Operation], flags: UInt8, to fronts: [FrontSeat]) {
        let parts = TransitionParts(operations)
        do throws(CBORError) {
            guard parts.byteCount <= Limits.transitionBytesMax else {
                throw CBORError(
                    .lengthExceeded,
                    "what is shown has \(parts.byteCount) bytes, and a front accepts at most "
                        + "\(Limits.transitionBytesMax)")
            }
            let frames = try parts.frames(flags: flags, epoch: epoch)
            for front in fronts { front.transition(frames, parts) }
        } catch {
            for front in fronts {
                let what = "the tree of session '\(front.session.name)'"
                front.refuse(Refusal(.overloaded, "\(what) cannot be sent: \(error.detail)"))
            }
        }
    }

    package func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of recipient: UInt64?
    ) async throws(RemoteFault) -> Answer {
        .payload(try await asks.ask(node, message, of: recipient, on: self))
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

    /// Returns the states sent with a node's mount: none that the handler may still roll back.
    private func certainStates(of node: FeatureNode) -> [FeatureNode.State] {
        ledger?.mark(of: node)?.states ?? node.states
    }

    /// Shows the states left out of the mounts, unless they are rolled back first.
    private func showUncertainStates(mountedIn operations: [StageOperation]) {
        for case .mount(let node) in operations where ledger?.mark(of: node) != nil {
            for state in node.states { stateChanged(of: node, state.method) }
        }
    }

    /// Does the same for one front that was sent the tree while a handler ran.
    private func showUncertainStates(to front: FrontSeat) {
        for entry in mounted.shown(to: front.audience) where ledger?.mark(of: entry.node) != nil {
            for state in entry.node.states {
                front.stateChanged(.init(node: entry.id, method: state.method.rawValue))
            }
        }
    }
}
