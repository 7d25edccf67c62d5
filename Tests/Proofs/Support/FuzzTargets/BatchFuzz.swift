// BatchFuzz: what a front does with what it is shown.
//
// Isolation  @MainActor: a front's tree is.
// Spec       Protocol/SPEC.md, section 6 (Messages)

import NapkinCoding
import NapkinCore
import NapkinProtocol

@testable import NapkinFront

@MainActor
enum BatchFuzz {
    /// A stream of frames from a worker; transitions and states are applied, others left out.
    static func run(_ bytes: [UInt8]) {
        let tree = FrontTree()
        for frame in FuzzStream([bytes[...]], limit: Limits.frameBytesMax).frames {
            switch frame.header.kind {
            case .transition: apply(frame, to: tree)
            case .state:
                tree.node(frame.header.node)?
                    .set(MethodID(rawValue: frame.header.method), Payload(frame.payload))
            default: continue
            }
            check(tree)
        }
    }

    private static func apply(_ frame: FuzzFrame, to tree: FrontTree) {
        let transition: Transition
        do throws(CBORError) {
            transition = try Payload(frame.payload).decode(Transition.self)
        } catch {
            // The front closes the connection.
            return
        }
        let isSnapshot = frame.header.flags & Transition.snapshotFlag != 0
        let changes = tree.apply(transition, isSnapshot: isSnapshot)
        precondition(
            changes.count <= transition.operations.count + 1, "more changes than operations")
    }

    /// Every node hangs under the root, each once, under the parent that it names.
    private static func check(_ tree: FrontTree) {
        guard let root = tree.root else {
            precondition(tree.count == 0, "nodes without a root")
            return
        }
        var found: Set<UInt32> = []
        var open = [root]
        while let node = open.popLast() {
            precondition(found.insert(node.id).inserted, "a node twice in the tree")
            precondition(tree.node(node.id) === node, "a node is not found by its number")
            for child in node.children {
                precondition(child.parent == node.id, "a child under another parent")
            }
            open += node.children
        }
        precondition(found.count == tree.count, "a node outside of the tree")
    }
}
