// Screen: a stage that shows a session as text, and taps on it.

import NapkinCore
import RibHouseContract

/// Notes a batch as one line, `- logged-out; + logged-in in loggedIn`, and each state as one,
/// `summary 2 SMOKING · 1 RESTING`; the states that travel with a mount after its batch.
@MainActor
final class Screen: Stage {
    let journal = Journal()
    private var nodes: [(id: UInt32, node: FeatureNode)] = []
    private var lastID: UInt32 = 0

    /// The features that are shown, in the order in which they came.
    var features: [String] { nodes.map { Self.name($0.node.feature) } }

    /// The node of a feature that is shown.
    func node(of feature: FeatureID) -> FeatureNode? {
        nodes.first { $0.node.feature == feature }?.node
    }

    /// Sends an event without arguments and waits for its answer.
    func tap(_ method: String, on feature: FeatureID) async -> Bool {
        guard let node = node(of: feature) else { return false }
        return await send(MethodID(key: method), to: node)
    }

    /// Sends an event without arguments, whatever its number is, and waits for its answer.
    func send(_ method: MethodID, to node: FeatureNode) async -> Bool {
        await withCheckedContinuation { continuation in
            let empty = UnsafeRawBufferPointer(start: nil, count: 0)
            node.receive(method, empty, Tap(node: node, continuation))
        }
    }

    // MARK: - Stage

    func makeNodeID() -> UInt32 {
        lastID += 1
        return lastID
    }

    func apply(_ operations: [StageOperation]) {
        var words: [String] = []
        var mounted: [FeatureNode] = []
        for operation in operations {
            switch operation {
            case .mount(let node):
                nodes.append((node.id, node))
                mounted.append(node)
                let slot = node.slot.isEmpty ? "" : " in \(node.slot) (\(node.presentation))"
                words.append("+ \(Self.name(node.feature))\(slot)")
            case .unmount(let id):
                let gone = nodes.first { $0.id == id }?.node.feature ?? "nothing"
                words.append("- \(Self.name(gone))")
                // Everything below has been retired with it.
                nodes.removeAll { $0.node.id != $0.id }
            }
        }
        journal.note(words.joined(separator: "; "))
        for node in mounted {
            for state in node.states { show(state.method, of: node) }
        }
    }

    func stateChanged(of node: FeatureNode, _ method: MethodID) {
        guard nodes.contains(where: { $0.id == node.id }) else { return }
        show(method, of: node)
    }

    func effect(from node: FeatureNode, _ message: some CrossingMessage) {}

    func ask(
        from node: FeatureNode, _ message: some CrossingMessage
    ) async throws(RemoteFault) -> Answer {
        throw RemoteFault(.noFront, "nobody sits in front of this screen")
    }

    // MARK: - Words

    private static func name(_ feature: FeatureID) -> String {
        String(feature.rawValue.drop { $0 != "." }.dropFirst())
    }

    private func show(_ method: MethodID, of node: FeatureNode) {
        guard let payload = node.payload(of: method) else { return }
        do {
            journal.note(try Self.text(method, payload))
        } catch {
            journal.note("unreadable: \(error)")
        }
    }

    private static func text(_ method: MethodID, _ payload: Payload) throws -> String {
        switch method {
        case MethodID(key: "present(pitSummary:)"):
            "summary \(try payload.decode(String.self))"
        case MethodID(key: "present(foods:)"):
            "foods \(try payload.decode([String].self).joined(separator: ", "))"
        case MethodID(key: "present(banner:)"):
            "banner \(try payload.decode(String?.self) ?? "none")"
        case MethodID(key: "present(sections:)"):
            "sections \(PitBoardRecorder.text(try payload.decode([PitSection].self)))"
        case MethodID(key: "present(specials:)"):
            "specials \(PitBoardRecorder.text(try payload.decode([Special].self)))"
        default:
            "unknown method \(method.rawValue)"
        }
    }
}

/// An event's call that resumes whoever tapped, with whether it succeeded.
@MainActor
private final class Tap: NodeCall {
    private let continuation: CheckedContinuation<Bool, Never>

    init(node: FeatureNode, _ continuation: CheckedContinuation<Bool, Never>) {
        self.continuation = continuation
        super.init(node: node)
    }

    override func succeed() { continuation.resume(returning: true) }
    override func succeed(_ encode: PayloadEncoder) { continuation.resume(returning: true) }
    override func fail(_ error: any Error) { continuation.resume(returning: false) }
}
