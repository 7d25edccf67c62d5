// ScreenComposer: makes one screen of the views of a session's tree.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  reads the tree; keeps only which tab of a node is chosen.
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
    private let redraw: () -> Void
    private var chosenTabs: [UInt32: UInt32] = [:]

    /// - Parameters:
    ///   - send: sends an event of a generic view.
    ///   - redraw: called when a view was invalidated.
    public init(send: @escaping EventSender, redraw: @escaping () -> Void) {
        self.send = send
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
        if let tab = chosenTab(of: node) {
            result.append(bar(of: node, chosen: tab))
            result += lines(of: tab, width: width, height: max(1, height - result.count))
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
        if let covering = node.newest(.modal) ?? node.newest(.push) { return keys(of: covering) }
        var keys: [KeyBinding] = []
        for child in node.children where child.presentation == .embed {
            keys += self.keys(of: child)
        }
        if let tab = chosenTab(of: node) { keys += self.keys(of: tab) + tabKeys(of: node) }
        return keys + view(of: node).keys
    }

    // MARK: - Tabs

    private func chosenTab(of node: FrontNode) -> FrontNode? {
        let tabs = node.tabs
        return tabs.first { $0.id == chosenTabs[node.id] } ?? tabs.first
    }

    private func bar(of node: FrontNode, chosen: FrontNode) -> StyledLine {
        StyledLine(
            spans: node.tabs.map { tab in
                TextSpan(" \(tab.slot) ", tab === chosen ? .bar : .dim)
            })
    }

    /// Tab goes to the next tab.
    private func tabKeys(of node: FrontNode) -> [KeyBinding] {
        let tabs = node.tabs
        guard tabs.count > 1, let chosen = chosenTab(of: node),
            let index = tabs.firstIndex(where: { $0 === chosen })
        else { return [] }
        let next = tabs[(index + 1) % tabs.count]
        return [
            KeyBinding(.tab, next.slot) { [weak self] in
                self?.chosenTabs[node.id] = next.id
                self?.redraw()
            }
        ]
    }
}

extension FrontNode {
    /// The child of that presentation that was mounted last.
    fileprivate func newest(_ presentation: Presentation) -> FrontNode? {
        children.last { $0.presentation == presentation }
    }

    fileprivate var tabs: [FrontNode] { children.filter { $0.presentation == .tab } }
}
