// TreePath: a node's path in a session's tree, whatever its number.
//
// A returning front receives its tree again and creates new views. The session presents its states
// to them again. A person's text or scroll position is not a state, and is found by its path.

internal import NapkinCore
package import NapkinFront

package struct TreePath: Hashable {
    private struct Step: Hashable {
        let slot: String
        let feature: FeatureID
        let arguments: [UInt8]
        /// The index among siblings that are otherwise alike.
        let number: Int
    }

    private var steps: [Step] = []

    package static func node(at path: TreePath, in tree: FrontTree) -> FrontNode? {
        guard let root = tree.root else { return nil }
        return nodes(from: root)[path].flatMap { tree.node($0) }
    }

    static func nodes(from root: FrontNode) -> [TreePath: UInt32] {
        var nodes: [TreePath: UInt32] = [:]
        func visit(_ node: FrontNode, _ path: TreePath) {
            nodes[path] = node.id
            for child in node.children {
                visit(child, TreePath(steps: path.steps + [step(to: child, from: node)]))
            }
        }
        visit(root, TreePath())
        return nodes
    }

    private static func step(to child: FrontNode, from parent: FrontNode) -> Step {
        let alike = parent.children.filter {
            $0.slot == child.slot && $0.feature == child.feature
                && $0.arguments == child.arguments
        }
        return Step(
            slot: child.slot, feature: child.feature, arguments: child.arguments.bytes,
            number: alike.firstIndex { $0 === child } ?? 0)
    }

    package static func path(of node: FrontNode, in tree: FrontTree) -> TreePath {
        var (steps, node): ([Step], FrontNode) = ([], node)
        while let parent = tree.node(node.parent) {
            steps.append(step(to: node, from: parent))
            node = parent
        }
        return TreePath(steps: steps.reversed())
    }
}
