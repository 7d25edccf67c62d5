// TransitionVectorTests: the golden vectors of transitions, applied to a front's tree.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import TestSupport
import Testing

@testable import NapkinFront

@MainActor
struct TransitionVectorTests {
    private func transition(_ bytes: [UInt8]) throws -> Transition {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let transition = try reader.read(Transition.self)
            try reader.expectEnd()
            return transition
        }
    }

    private func json(_ node: FrontNode?) -> JSONValue {
        guard let node else { return .null }
        return .array([
            .integer(Int64(node.id)), .text(node.feature.rawValue),
            .array(node.children.map { json($0) }),
        ])
    }

    /// How many nodes a tree of a vector has.
    private func count(_ tree: JSONValue) -> Int {
        guard let parts = tree.array else { return 0 }
        return 1 + (parts.last?.array ?? []).reduce(0) { $0 + count($1) }
    }

    @Test(arguments: Vector.all(.transitions)) func `transitions`(_ vector: Vector) throws {
        let tree = FrontTree()
        _ = tree.apply(try transition(try vector.bytes(of: "before")), isSnapshot: true)
        guard let means = vector.means?.object else {
            let error = #expect(throws: CBORError.self) { try transition(try vector.bytes) }
            #expect(error.map { "\($0.code)" } == vector.error)
            return
        }
        let flags = UInt8(try #require(vector["flags"]?.unsigned))
        let changes = tree.apply(
            try transition(try vector.bytes), isSnapshot: flags & Transition.snapshotFlag != 0)
        let named = changes.map { change in
            switch change {
            case .mounted(let node): JSONValue.text("+\(node.id)")
            case .unmounted(let node): JSONValue.text("-\(node.id)")
            }
        }
        #expect(.array(named) == means["changes"])
        let wanted = try #require(means["tree"])
        #expect(json(tree.root) == wanted)
        #expect(tree.count == count(wanted))
    }
}
