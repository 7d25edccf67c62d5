// MountedTree: a session's tree and its views, without a session.

import NapkinCoding
import NapkinCore
import NapkinProtocol

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

/// A view of fixed lines.
struct Words: View {
    private let lines: [String]
    private let keys: [KeyBinding]

    init(_ lines: String..., keys: [KeyBinding] = []) {
        self.lines = lines
        self.keys = keys
    }

    var body: some View { ForEach(lines, id: \.self) { Text($0) }.keyBindings(keys) }
}

/// Says nothing when it is told something.
private final class Deaf: CrossingReceiver {
    override func handle(_ message: consuming ReceivedMessage, _ runner: HandlerRunner?) async {
        repeat {} while message.advance(in: runner)
    }
}

/// Builds a tree of nodes 1, 2, 3, … in the order of their mounting.
final class MountedTree {
    let tree: FrontTree
    private var count: UInt32 = 0

    init(_ tree: FrontTree = FrontTree()) { self.tree = tree }

    @discardableResult
    func mount(
        _ feature: String, in parent: UInt32 = 0, _ presentation: String = "embed",
        slot: String = "content", arguments: [UInt8] = [0xA0], states: [(String, [UInt8])] = [],
        view: (any View)? = nil
    ) -> UInt32 {
        count += 1
        let mount = Mount(
            node: count, parent: parent, slot: slot, presentation: presentation, feature: feature,
            arguments: arguments,
            states: states.map { Mount.State(method: MethodID(key: $0).rawValue, payload: $1) })
        _ = tree.apply(Transition([.mount(mount)]), isSnapshot: false)
        if let view { tree.node(count)?.view = MountedView(view: view, receiver: Deaf()) }
        return count
    }

    /// As after a snapshot: the same numbers once more, or another worker's.
    func replaceAll(after number: UInt32 = 0, _ mount: () -> Void) {
        if let root = tree.root { unmount(root.id) }
        count = number
        mount()
    }

    func unmount(_ node: UInt32) {
        _ = tree.apply(Transition([.unmount(node)]), isSnapshot: false)
    }
}

extension PageComposer {
    /// Composes the tree below `root`, and lays it out.
    func compose(
        _ root: FrontNode?, width: Int, height: Int, isLinear: Bool = false
    ) -> PageLayout {
        let page = compose(root, isLinear: isLinear)
        finish()
        return PageLayout(page, width: width, height: height, isLinear: isLinear)
    }
}

extension PageLayout {
    var text: [String] { lines.map(\.text) }
}

func key(_ character: Character, _ label: String, role: KeyBinding.Role = .action) -> KeyBinding {
    KeyBinding(.character(character), label, role: role) {}
}
