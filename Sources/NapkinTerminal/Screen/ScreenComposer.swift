// ScreenComposer: makes one screen of the views of a session's tree.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  reads the tree; keeps only which tab of a node is chosen, where the worker does not.
//
// The rule for the children of a node, by presentation: the newest modal covers everything else of
// the node, then the newest pushed one; otherwise the node's view is seen with its embedded
// children in it, and one of its tabs below.

public import NapkinCore
public import NapkinFront

/// What is seen, and what can be pressed there.
public struct Composition {
    public var lines: [StyledLine]
    public var keys: [KeyBinding]

    /// Whether there is nothing to see and nothing to press.
    public var isEmpty: Bool { lines.isEmpty && keys.isEmpty }
}

/// Lays the mounted views into one screen.
public final class ScreenComposer {
    /// The contracts of the session's features, for those without a view.
    public var schemas: [FeatureSchema] = []
    private let send: EventSender
    private let select: TabSelector
    private let redraw: () -> Void
    private var chosenTabs: [UInt32: UInt32] = [:]

    /// - Parameters:
    ///   - send: sends an event of a generic view, and the request to dismiss a view.
    ///   - select: asks the worker for a tab.
    ///   - redraw: called when a view was invalidated.
    public init(
        send: @escaping EventSender, select: @escaping TabSelector = { _, _ in },
        redraw: @escaping () -> Void
    ) {
        self.send = send
        self.select = select
        self.redraw = redraw
    }

    /// Composes the tree below `root` for `width` by `height` cells.
    ///
    /// No line is wider than `width`; there may be more than `height` lines.
    public func compose(_ root: FrontNode?, width: Int, height: Int) -> Composition {
        guard let root else {
            return Composition(lines: [StyledLine("Nothing is shown yet.", .dim)], keys: [])
        }
        let lines = lines(of: root, width: width, height: height)
        return Composition(lines: lines.map { $0.fitted(to: width) }, keys: keys(of: root))
    }

    // MARK: - Lines

    private func lines(of node: FrontNode, width: Int, height: Int) -> [StyledLine] {
        if let modal = node.newest(.modal) {
            return [StyledLine("── \(modal.slot) ──", .accent)]
                + lines(of: modal, width: width, height: height - 1)
        }
        if let pushed = node.newest(.push) {
            return lines(of: pushed, width: width, height: height)
        }
        let panes = node.children.filter { $0.presentation == .embed }.map { child in
            EmbeddedPane(slot: child.slot) { [self] width, height in
                lines(of: child, width: width, height: height).map { $0.fitted(to: width) }
            }
        }
        var result = view(of: node).render(width: width, height: height, embedded: panes)
        if let row = tabs(of: node) {
            result.append(row.line)
            if let tab = row.child {
                result += lines(of: tab, width: width, height: max(1, height - result.count))
            }
        }
        return result
    }

    private func view(of node: FrontNode) -> any TerminalView {
        let view: any TerminalView
        if let mounted = node.view?.view as? any TerminalView {
            view = mounted
        } else {
            let schema = schemas.first { $0.feature == node.feature.rawValue }
            view = GenericView(node: node, schema: schema, send: send)
        }
        if view.redraw.request == nil { view.redraw.request = redraw }
        return view
    }

    // MARK: - Keys

    /// The innermost view's keys come first: Enter belongs to what is nearest.
    private func keys(of node: FrontNode) -> [KeyBinding] {
        if let covering = node.newest(.modal) ?? node.newest(.push) {
            return keys(ofCovering: covering)
        }
        var keys: [KeyBinding] = []
        for child in node.children where child.presentation == .embed {
            keys += self.keys(of: child)
        }
        if let row = tabs(of: node) {
            if let tab = row.child { keys += self.keys(of: tab) }
            keys += tabKeys(of: node, row)
        }
        return keys + view(of: node).keys
    }

    /// A view that covers others can be left: by its own key for it, or else by Escape, for which
    /// the worker is asked.
    private func keys(ofCovering node: FrontNode) -> [KeyBinding] {
        let keys = keys(of: node)
        guard !keys.contains(where: { $0.role == .back || $0.key == .escape }) else { return keys }
        let label = node.presentation == .modal ? "Close" : "Back"
        return keys + [
            KeyBinding(.escape, label, role: .back) { [send] in send(node.id, .dismiss) }
        ]
    }

    // MARK: - Tabs

    /// What there is to choose from: as the worker tells, or else as it is mounted.
    private func tabs(of node: FrontNode) -> TabRow? {
        let mounted = node.children.filter { $0.presentation == .tab }
        if let bar = node.tabBar {
            return TabRow(
                names: bar.names, index: bar.names.firstIndex(of: bar.selected) ?? 0,
                child: mounted.first { $0.slot == bar.selected })
        }
        guard !mounted.isEmpty else { return nil }
        let index = mounted.firstIndex { $0.id == chosenTabs[node.id] } ?? 0
        return TabRow(names: mounted.map(\.slot), index: index, child: mounted[index])
    }

    /// Tab goes to the next tab: the worker's to decide, where it has told of them.
    private func tabKeys(of node: FrontNode, _ row: TabRow) -> [KeyBinding] {
        guard row.names.count > 1 else { return [] }
        let next = (row.index + 1) % row.names.count
        return [
            KeyBinding(.tab, row.names[next]) { [weak self] in
                guard node.tabBar == nil else {
                    self?.select(row.names[next], node)
                    return
                }
                let mounted = node.children.filter { $0.presentation == .tab }
                guard mounted.indices.contains(next) else { return }
                self?.chosenTabs[node.id] = mounted[next].id
                self?.redraw()
            }
        ]
    }
}

/// The tabs of a node on the screen.
private struct TabRow {
    let names: [String]
    let index: Int
    /// The selected tab's child; a front may hear of it later than of the selection.
    let child: FrontNode?

    var line: StyledLine {
        StyledLine(
            spans: names.enumerated().map { TextSpan(" \($1) ", $0 == index ? .bar : .dim) })
    }
}

extension FrontNode {
    /// The child of that presentation that was mounted last.
    fileprivate func newest(_ presentation: Presentation) -> FrontNode? {
        children.last { $0.presentation == presentation }
    }
}
