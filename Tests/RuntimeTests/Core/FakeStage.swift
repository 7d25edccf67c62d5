// FakeStage: a stage that writes down what fronts would see.

import NapkinCore
import NapkinTesting

/// Notes each batch as one line: `mount 1`, `unmount 1; mount 3 under 2 in left`.
@MainActor
final class FakeStage: Stage {
    let journal: Journal
    let pages = FrontPages()
    private(set) var batches: [String] = []
    private var shown: Set<UInt32> = []
    private var lastID: UInt32 = 0

    init(_ journal: Journal = Journal()) {
        self.journal = journal
    }

    func makeNodeID() -> UInt32 {
        lastID += 1
        return lastID
    }

    func apply(_ operations: [StageOperation]) {
        let line = operations.map(describe).joined(separator: "; ")
        batches.append(line)
        journal.note(line)
    }

    private func describe(_ operation: StageOperation) -> String {
        switch operation {
        case .mount(let node):
            shown.insert(node.id)
            guard let parent = node.parent else { return "mount \(node.id)" }
            let orphan = shown.contains(parent.id) ? "" : " which is not shown"
            return "mount \(node.id) under \(parent.id)\(orphan) in \(node.slot)"
        case .unmount(let id):
            shown.remove(id)
            return "unmount \(id)"
        }
    }

    func stateChanged(of node: FeatureNode, _ method: MethodID) {
        journal.note("state of \(node.id)")
    }

    func logGrew(of node: FeatureNode, _ method: MethodID, by bytes: Int) {
        journal.note("log of \(node.id)")
    }

    func effect(from node: FeatureNode, _ message: some CrossingMessage, to front: UInt64?) {
        journal.note("effect of \(node.id)")
    }

    func ask(
        from node: FeatureNode, _ message: some CrossingMessage, of front: UInt64?
    ) async throws(RemoteFault) -> Answer {
        throw RemoteFault(.noFront, "a fake stage has no fronts")
    }
}

/// An event's call that notes its answer.
@MainActor
final class NotedCall: NodeCall {
    private let journal: Journal
    private let name: String

    init(_ name: String, to node: FeatureNode, _ journal: Journal) {
        self.name = name
        self.journal = journal
        super.init(node: node)
    }

    /// Delivers `didTap()` to `node`.
    static func tap(_ node: FeatureNode, as name: String = "tap", _ journal: Journal) {
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        node.receive(MethodID(key: "didTap()"), empty, NotedCall(name, to: node, journal))
    }

    override func succeed() { journal.note("\(name) succeeded") }
    override func succeed(_ encode: PayloadEncoder) { journal.note("\(name) succeeded") }
    override func fail(_ error: any Error) { journal.note("\(name) failed: \(error)") }
}
