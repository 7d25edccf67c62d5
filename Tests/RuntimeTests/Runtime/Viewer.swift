// Viewer: a front that writes down what it is shown, and calls what it sees.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport

@testable import NapkinRuntime

/// One connection of a front, and its journal.
@MainActor
final class Viewer {
    let front: FrontSession
    private let witness: Witness

    /// - Parameter front: one that has been here, or will come back; else the front ends with this
    ///   connection.
    init(
        _ channel: Channel, _ attach: Attach = Attach(), as front: FrontSession? = nil,
        contract: @escaping (String) -> FeatureSchema? = { _ in nil }
    ) {
        witness = Witness(closesFront: front == nil)
        self.front = front ?? FrontSession(client: "visitor", contract: contract)
        self.front.connect(channel, ticket: "none", attach: attach, delegate: witness)
    }

    var journal: Journal { witness.journal }
    var lines: [String] { journal.lines }
    var attached: Attached? { front.attached }
    /// The newest payload of a state.
    func state(_ key: String, of node: UInt32) -> Payload? {
        witness.states[node]?[MethodID(key: key)]
    }
    /// Questions that came, in order.
    var asked: [UInt64] { witness.asked }

    func waitForSnapshot() async { await witness.snapshot.wait() }

    func waitForEnd() async { await witness.ended.wait() }

    func port(_ node: UInt32) -> NodePort { NodePort(session: front, node: node) }

    /// What the view of that node calls.
    func panel(_ node: UInt32) -> any PanelPresentableListener {
        PanelPresentableListenerCrossing.sender(to: port(node))
    }

    func answer(_ id: UInt64, _ value: Bool) throws {
        try front.answer(id) { (writer) throws(CBORError) in try writer.write(value) }
    }
}

/// The delegate: each thing that is shown is a line.
@MainActor
private final class Witness: FrontSessionDelegate {
    let journal = Journal()
    let snapshot = Latch()
    let ended = Latch()
    var asked: [UInt64] = []
    /// The newest payload of each state, by node.
    private(set) var states: [UInt32: [MethodID: Payload]] = [:]
    private let closesFront: Bool

    init(closesFront: Bool) { self.closesFront = closesFront }

    func sessionAttached(_ session: FrontSession, _ attached: Attached) {
        journal.note("attached to \(attached.session)")
    }

    func session(
        _ session: FrontSession, applied transition: Transition, isSnapshot: Bool
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
        _ session: FrontSession, _ delivery: DeliveryClass, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) -> ReceivedMessage? {
        if delivery == .state { states[node, default: [:]][method] = Payload(Array(payload)) }
        journal.note("\(node) \(delivery) \(describe(method, payload))")
        return nil
    }

    func session(
        _ session: FrontSession, stateOf node: UInt32, _ method: MethodID
    ) -> Payload? { states[node]?[method] }

    func session(
        _ session: FrontSession, asked id: UInt64, of node: UInt32, _ method: MethodID,
        _ payload: UnsafeRawBufferPointer
    ) {
        asked.append(id)
        journal.note("\(node) asks \(describe(method, payload))")
    }

    func session(_ session: FrontSession, askEnded id: UInt64, answeredBy: String?) {
        journal.note("ask \(id) ended\(answeredBy.map { " by \($0)" } ?? "")")
    }

    func session(
        _ session: FrontSession, workflow number: UInt64, reached step: WorkflowStep
    ) {
        journal.note("workflow \(number): \(step.step)/\(step.of) \(step.name) \(step.state)")
    }

    func session(_ session: FrontSession, workflow number: UInt64, ended: WorkflowEnded) {
        journal.note("workflow \(number) ended: \(ended.outcome)")
    }

    func session(
        _ session: FrontSession, failedEvent method: MethodID, of node: UInt32, _ fault: RemoteFault
    ) { journal.note("\(node) failed to post: \(fault.code)") }

    func sessionDisconnected(_ session: FrontSession, _ end: ConnectionEnd) {
        journal.note("session ended: \(end)")
        ended.open()
        if closesFront { session.close() }
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
            let message = "\(try PanelPresentableMessage(method: method, payload: payload))"
            return message.utf8.count > 100 ? "\(message.prefix(7)) \(payload.count)" : message
        } catch {
            return "unreadable: \(error)"
        }
    }
}
