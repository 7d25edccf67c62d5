// SessionHost+Ledger: ties a session to its ledger.
//
// Spec       Protocol/SPEC.md, section 9.4 (Durable sessions)

package import NapkinCore
package import NapkinLedger
import NapkinProtocol
import NapkinTransport

extension SessionHost {
    /// The journal that gates the session's output; `nil` until the first durable change.
    var journal: Journal? { activeLedger?.journal }

    /// The failures that the session's states survive; `nil` if nothing is stored.
    package var durability: String? { journal?.durability.rawValue }

    /// Stores the session in this ledger. Call it before the tree is launched.
    package func keep(in ledger: SessionLedger) {
        precondition(seats.isEmpty, "a session is kept from its beginning")
        self.ledger = ledger
        activeLedger = ledger.isDormant ? nil : ledger
        epoch = ledger.journal.epoch(of: ledger.image.title)
        if !ledger.isDormant { asks.restored(after: .random(in: 0..<AskBoard.startMax)) }
        attendance = AttendanceStateMachine(epoch: epoch)
        ledger.session = self
    }

    /// Handles input from outside: the changes of a handler that it starts or resumes are recorded
    /// apart from others.
    func handling(_ body: () -> Void) {
        guard let ledger else { return body() }
        ledger.handling(nil, body)
    }

    /// Gates the session's output, because recording has begun.
    package func becameDurable() {
        activeLedger = ledger
        // Includes fronts that have not been shown the tree yet.
        for seat in seats.values.map(\.self) { seat.hold() }
    }

    /// Counts of the changes that handlers have made to stored state; `nil` if nothing is stored.
    var ledgerCounts: [LedgerCount]? {
        activeLedger?.handlerCounts.map { counted in
            var count = LedgerCount(feature: counted.feature, method: counted.method)
            (count.records, count.bytes, count.begun) = (
                counted.records, counted.bytes, counted.begun
            )
            return count
        }
    }

    private func methodName(_ feature: FeatureID, _ method: UInt32) -> String? {
        let schema = features.first { $0.id == feature }?.schema
        return schema?.listens.first { MethodID(key: $0.key).rawValue == method }?.key
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

    /// Returns the states sent with a node's mount: none that the handler may still roll back.
    func certainStates(of node: FeatureNode) -> [FeatureNode.State] {
        ledger?.mark(of: node)?.states ?? node.states
    }

    /// Shows the states left out of the mounts, unless they are rolled back first.
    func showUncertainStates(mountedIn operations: [StageOperation]) {
        guard let ledger, ledger.isInStretch else { return }
        for case .mount(let node) in operations where ledger.mark(of: node) != nil {
            for state in node.states { stateChanged(of: node, state.method) }
        }
    }

    /// Does the same for one front that was sent the tree while a handler ran.
    func showUncertainStates(to front: FrontSeat) {
        guard let ledger, ledger.isInStretch else { return }
        for entry in mounted.shown(to: front.audience) where ledger.mark(of: entry.node) != nil {
            for state in entry.node.states {
                front.stateChanged(.init(node: entry.id, method: state.method.rawValue))
            }
        }
    }

    /// The reason to refuse new fronts while a change cannot be stored for lack of room.
    var shortage: Refusal? {
        guard let journal, journal.isWaitingForRoom else { return nil }
        return Refusal(.overloaded, "session '\(name)' waits: \(journal.refusal ?? "no room")")
    }

    /// Disconnects the fronts because their changes cannot be stored; they come back later.
    package func roomIsMissing() {
        guard let shortage else { return }
        for seat in seats.values.map(\.self) { seat.refuseUnkept(shortage) }
    }

    /// Returns the frame that answers an event whose handler was interrupted by its worker's end.
    static func interruption(of sequence: UInt64) -> [UInt8] {
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

extension SessionHost: RecordedSession {
    package var handledInput: SessionLedger.Input? { currentInput }

    package var startedEvents: [(front: UInt64, started: UInt64)] {
        seats.values.map { ($0.id, $0.machine.events.started) }
    }

    package var newestFront: UInt64 { attendance.newest }

    package var rootCore: RouterCore? { root?.core }

    package func signature(of method: UInt32, in feature: FeatureID) -> String {
        methodName(feature, method) ?? "\(method)"
    }

    package func withdraw(_ frames: [[UInt8]]) {
        for front in fronts { front.withdraw(frames) }
    }

    package func interruption(of sequence: UInt64) -> [UInt8] { Self.interruption(of: sequence) }

    package func handle(_ input: OwnInput, on router: RouterCore) { run(input, on: router) }
}
