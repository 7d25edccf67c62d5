// Visitor: a front that writes down what it is shown, and calls what it sees.
//
// Layer      test support.
// Isolation  @MainActor

import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport

@testable import NapkinRuntime

/// One front of a session: its client, its event line, and its journal.
@MainActor
final class Visitor {
    /// `sessionEnded` breaks the cycle of client and delegate; so may a test, by dropping this.
    let client: SessionClient
    let line: EventLine
    private let witness: Witness

    init(
        _ channel: Channel, _ attach: Attach = Attach(), ledger: EventLedger? = nil,
        contract: @escaping (String) -> FeatureSchema? = { _ in nil }
    ) {
        let witness = Witness()
        self.witness = witness
        line = EventLine { node, method, fault in
            witness.journal.note("\(node) failed to post: \(fault.code)")
        }
        client = SessionClient(
            channel: channel, client: "visitor", ticket: "none", attach: attach, delegate: witness,
            ledger: ledger, contract: contract)
        line.client = client
    }

    var journal: Journal { witness.journal }
    var lines: [String] { journal.lines }
    var attached: Attached? { client.attached }
    /// The newest payload of a state.
    func state(_ key: String, of node: UInt32) -> Payload? {
        witness.states[node]?[MethodID(key: key)]
    }
    /// Questions that came, in order.
    var asked: [UInt64] { witness.asked }

    func waitForSnapshot() async { await witness.snapshot.wait() }

    func waitForEnd() async { await witness.ended.wait() }

    func port(_ node: UInt32) -> NodePort { NodePort(line: line, node: node) }

    /// What the view of that node calls.
    func room(_ node: UInt32) -> any RoomPresentableListener {
        RoomPresentableListenerCrossing.sender(to: port(node))
    }

    func answer(_ id: UInt64, _ value: Bool) throws {
        try client.answer(id) { (writer) throws(CBORError) in try writer.write(value) }
    }
}

/// The delegate: each thing that is shown is a line.
@MainActor
private final class Witness: SessionClientDelegate {
    let journal = Journal()
    let snapshot = Latch()
    let ended = Latch()
    var asked: [UInt64] = []
    /// The newest payload of each state, by node.
    private(set) var states: [UInt32: [MethodID: Payload]] = [:]

    func sessionAttached(_ client: SessionClient, _ attached: Attached) {
        journal.note("attached to \(attached.session)")
    }

    func session(
        _ client: SessionClient, applied transition: Transition, isSnapshot: Bool
    ) {
        let operations = transition.operations.map(describe).joined(separator: "; ")
        journal.note(isSnapshot ? "snapshot: \(operations)" : operations)
        for case .mount(let mount) in transition.operations {
            for state in mount.states {
                states[mount.node, default: [:]][MethodID(rawValue: state.method)] =
                    Payload(state.payload)
            }
        }
        if isSnapshot { snapshot.open() }
    }

    func session(
        _ client: SessionClient, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        if delivery == .state { states[node, default: [:]][method] = Payload(Array(payload)) }
        journal.note("\(node) \(delivery) \(describe(method, payload))")
    }

    func session(
        _ client: SessionClient, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? { states[node]?[method] }

    func session(
        _ client: SessionClient, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        asked.append(id)
        journal.note("\(node) asks \(describe(method, payload))")
    }

    func session(_ client: SessionClient, askEnded id: UInt64) { journal.note("ask \(id) ended") }

    func session(
        _ client: SessionClient, workflow number: UInt64, reached step: WorkflowStep
    ) {
        journal.note("workflow \(number): \(step.step)/\(step.of) \(step.name) \(step.state)")
    }

    func session(_ client: SessionClient, workflow number: UInt64, ended: WorkflowEnded) {
        journal.note("workflow \(number) ended: \(ended.outcome)")
    }

    func sessionEnded(_ client: SessionClient, _ end: LinkEnd) {
        journal.note("session ended: \(end)")
        ended.open()
    }

    private func describe(_ operation: Transition.Operation) -> String {
        guard case .mount(let mount) = operation else {
            if case .unmount(let node) = operation { return "unmount \(node)" }
            return ""
        }
        let states = mount.states.map { state in
            state.payload.withUnsafeBytes { describe(MethodID(rawValue: state.method), $0) }
        }
        let place = mount.parent == 0 ? "" : " under \(mount.parent) in \(mount.slot)"
        return (["mount \(mount.node)\(place)"] + states).joined(separator: ", ")
    }

    /// A long text is told by its length.
    private func describe(_ method: MethodID, _ payload: UnsafeRawBufferPointer) -> String {
        do {
            let message = "\(try RoomPresentableMessage(method: method, payload: payload))"
            return message.utf8.count > 100 ? "\(message.prefix(7)) \(payload.count)" : message
        } catch {
            return "unreadable: \(error)"
        }
    }
}
