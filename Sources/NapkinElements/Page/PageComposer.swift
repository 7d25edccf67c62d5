// PageComposer: composes one page from the views of a session's tree.
//
// Layer      elements, page.
// Isolation  @MainActor.
// Ownership  reads the tree; keeps the state of its views, a node's selected tab, unless the worker
//            does, and the generic views of the shown nodes.
//
// The rule for the children of a node, by presentation: the newest modal lies over everything else
// of the node, and the newest pushed one covers it; otherwise the node's view is visible with its
// embedded children in it, and one of its tabs below. What a view has as its banner is visible in
// any case, above all of that.

package import NapkinCore
package import NapkinFront

/// What a page shows, and what can be pressed there.
package struct RenderedPage {
    package var root: RenderedElement
    package var keys: [KeyBinding] = []
    /// What stays at the top, and its keys, which are among the page's, too.
    package var banner: [RenderedElement] = []
    /// The titles of the views that lead here.
    package var path: [String] = []
    /// What tells the pages of the seen views apart.
    package var scope = ""
}

/// A view of the front itself over the session's views.
package final class Dialog {
    package let id: String
    package let title: String
    private let view: any View
    private let root = SiteRoot()

    init(id: String, title: String, view: any View) {
        self.id = id
        self.title = title
        self.view = view
    }

    fileprivate var elements: [RenderedElement] {
        [.node(0, root.evaluate(view, EnvironmentValues()).elements)]
    }

    fileprivate func finish() {
        root.setThere(true)
        root.finish()
    }
}

/// Puts the mounted views together.
package final class PageComposer {
    /// The contracts of the session's features, for features without a view.
    package var schemas: [FeatureSchema] = []
    private let send: EventSender
    private let select: TabSelector
    private let redraw: () -> Void
    package var askArguments: ArgumentAsker = { _, _, _ in }
    /// Called when a state of a generic view has changed, to schedule the end of its marks.
    package var changed: (GenericModel) -> Void = { _ in }
    private var chosenTabs: [UInt32: UInt32] = [:]
    private var generics: [UInt32: GenericModel] = [:]
    private var renderings: [UInt32: NodeRendering] = [:]
    /// The renderings of the former tree, by their nodes in this one.
    private var former: [UInt32: NodeRendering] = [:]
    private var beginsAnew = false
    private var root: FrontNode?
    private var seen: Set<UInt32> = []
    private var dialog: Dialog?
    /// What tells the pages of the seen views apart.
    private var scope = ""
    private var isLinear = false

    /// - Parameters:
    ///   - send: sends an event of a generic view, and the request to dismiss a view.
    ///   - select: asks the worker for a tab.
    ///   - redraw: called when something changes that a visible view has read.
    package init(
        send: @escaping EventSender, select: @escaping TabSelector = { _, _ in },
        redraw: @escaping () -> Void
    ) {
        self.send = send
        self.select = select
        self.redraw = redraw
    }

    // MARK: - The tree

    /// Follows the tree, before it is composed. If it has been rebuilt, returns the new numbers of
    /// the nodes that were there before; views whose place is gone are forgotten.
    ///
    /// - Parameter beginsAnew: whether a rebuilt tree is another worker's.
    package func follow(_ tree: FrontTree, beginsAnew: Bool) -> [UInt32: UInt32]? {
        guard let newRoot = tree.root else { return nil }
        guard newRoot !== root else {
            forget { tree.node($0) != nil }
            return nil
        }
        let isFirst = root == nil
        root = newRoot
        let nodes = TreePlace.nodes(from: newRoot)
        var numbers: [UInt32: UInt32] = [:]
        former = [:]
        for (number, rendering) in renderings {
            guard let place = rendering.place, let now = nodes[place] else {
                rendering.leave()
                continue
            }
            numbers[number] = now
            former[now] = rendering
        }
        renderings = [:]
        self.beginsAnew = beginsAnew
        return isFirst ? nil : numbers
    }

    /// Notes where the composed nodes are.
    package func settle(in tree: FrontTree) {
        for rendering in renderings.values where rendering.place == nil {
            rendering.place = TreePlace.place(of: rendering.node, in: tree)
        }
    }

    /// Ends all views: nobody sees them any more.
    package func leave() {
        for rendering in Array(renderings.values) + Array(former.values) { rendering.leave() }
        (renderings, former) = ([:], [:])
    }

    /// Forgets what belongs to nodes that are no longer there.
    package func forget(except isThere: (UInt32) -> Bool) {
        generics = generics.filter { isThere($0.key) }
        chosenTabs = chosenTabs.filter { isThere($0.key) }
        for (node, rendering) in renderings where !isThere(node) {
            rendering.leave()
            renderings[node] = nil
        }
    }

    /// Composes the tree below `root`.
    ///
    /// - Parameters:
    ///   - root: the root of the tree; without one nothing is shown yet.
    ///   - dialog: lies over everything else.
    ///   - isLinear: whether the page becomes plain text.
    package func compose(
        _ root: FrontNode?, dialog: Dialog? = nil, isLinear: Bool = false
    ) -> RenderedPage {
        self.isLinear = isLinear
        seen = []
        self.dialog = dialog
        scope = ""
        var page = RenderedPage(
            root: .text(Text("Nothing is shown yet.").foregroundStyle(.secondary)))
        if let root {
            page.root = element(of: root, &page.path)
            page.scope = scope
            page.keys = keys(of: root)
            page.banner = banner(of: root)
        }
        if let dialog {
            let elements = dialog.elements
            page.root = .overlay(
                title: dialog.title, plainTitle: dialog.title, base: page.root, elements)
            page.keys = elements.keys(isLinear: isLinear)
        }
        page.keys += page.banner.keys(isLinear: isLinear)
        return page
    }

    /// Tells the views that they have come, changed or gone. Call it when what the composition has
    /// read is observed: they may change that.
    package func finish() {
        for (node, rendering) in renderings { rendering.finish(isThere: seen.contains(node)) }
        dialog?.finish()
    }

    private func banner(of node: FrontNode) -> [RenderedElement] {
        var elements: [RenderedElement] = []
        if node.hasView {
            let rendering = rendering(of: node)
            rendering.updateOnce()
            elements = rendering.turn?.banner?() ?? []
        }
        return elements + node.children.flatMap(banner)
    }

    // MARK: - Elements

    private func rendering(of node: FrontNode) -> NodeRendering {
        if let known = renderings[node.id], known.node === node { return known }
        let own = node.view?.view as? any View
        var environment = EnvironmentValues()
        environment.dismiss = DismissAction { [send] in send(node.id, .dismiss, Payload()) }
        let rendering = NodeRendering(
            node, own ?? GenericScreen(model: generic(of: node)), isUnobserved: own == nil,
            environment, redraw: redraw)
        if let former = former.removeValue(forKey: node.id) ?? renderings[node.id] {
            rendering.goOn(from: former, beginsAnew: beginsAnew)
        }
        renderings[node.id] = rendering
        return rendering
    }

    private func element(of node: FrontNode, _ path: inout [String]) -> RenderedElement {
        guard let modal = node.newest(.modal) else { return elementWithoutModal(of: node, &path) }
        let base = elementWithoutModal(of: node, &path)
        let content = element(of: modal, &path)
        let title = rendering(of: modal).turn?.path.last ?? modal.slot
        return .overlay(title: title, plainTitle: modal.slot, base: base, [content])
    }

    private func elementWithoutModal(
        of node: FrontNode, _ path: inout [String]
    ) -> RenderedElement {
        if !node.hasView { _ = generic(of: node) }
        let rendering = rendering(of: node)
        if let pushed = node.newest(.push) {
            rendering.updateOnce()
            path += rendering.turn?.path ?? []
            return element(of: pushed, &path)
        }
        seen.insert(node.id)
        rendering.update()
        path += rendering.turn?.path ?? []
        scope += rendering.turn?.scope ?? ""
        var own = RenderedElement.node(node.id, placed(rendering.elements, of: node, &path))
        for presentation in rendering.turn?.presentations ?? [] {
            own = .overlay(
                title: presentation.title, plainTitle: presentation.title, base: own,
                [.node(node.id, presentation.elements)])
        }
        guard !rendering.elements.places(\.isTabPlace) else { return own }
        let tabs = tabElements(of: node, &path)
        guard !tabs.isEmpty else { return own }
        return .stack(.vertical(spacing: 0), [own] + tabs)
    }

    /// Returns the tabs of a node: their names, and the selected child.
    private func tabElements(of node: FrontNode, _ path: inout [String]) -> [RenderedElement] {
        guard let row = tabs(of: node) else { return [] }
        let strip = RenderedElement.tabs(row.names, selected: row.index) { [weak self] in
            self?.selectTab($0, of: node, row)
        }
        return [.node(node.id, [strip])] + (row.child.map { [element(of: $0, &path)] } ?? [])
    }

    /// Returns a view's elements with the embedded children and the tabs: where the body places
    /// them, otherwise embedded children come below it.
    private func placed(
        _ elements: [RenderedElement], of node: FrontNode, _ path: inout [String]
    ) -> [RenderedElement] {
        var panes: [(slot: String, element: RenderedElement)] = []
        for child in node.children where child.presentation == .embed {
            panes.append((child.slot, element(of: child, &path)))
        }
        let tabs = elements.places(\.isTabPlace) ? tabElements(of: node, &path) : []
        return elements.placing { place in
            switch place {
            case .child(let slot): panes.filter { $0.slot == slot }.map(\.element)
            case .childTabs: tabs
            default: nil
            }
        }
            + panes.filter { pane in !elements.places { $0.isPlace(of: pane.slot) } }.map(\.element)
    }

    /// Returns the generic view of a node without a view.
    package func generic(of node: FrontNode) -> GenericModel {
        let schema = schemas.first { $0.feature == node.feature.rawValue }
        if let kept = generics[node.id], kept.node.feature == node.feature {
            kept.node = node
            kept.schema = schema
            if kept.update() { changed(kept) }
            return kept
        }
        let model = GenericModel(node: node, schema: schema, send: send) { [weak self] in
            self?.askArguments($0, $1, $2)
        }
        _ = model.update()
        generics[node.id] = model
        return model
    }

    // MARK: - Keys

    /// The innermost view's keys come first: Enter belongs to the nearest one.
    private func keys(of node: FrontNode) -> [KeyBinding] {
        if let covering = node.newest(.modal) ?? node.newest(.push) {
            return keys(ofCovering: covering)
        }
        let rendering = rendering(of: node)
        if let top = rendering.turn?.presentations.last { return top.elements.keys() }
        var keys: [KeyBinding] = []
        for child in node.children where child.presentation == .embed {
            keys += self.keys(of: child)
        }
        if let row = tabs(of: node) {
            if let tab = row.child { keys += self.keys(of: tab) }
            keys += tabKeys(of: node, row)
        }
        return keys + rendering.elements.keys(isLinear: isLinear)
    }

    /// A view that covers others can be left: by its own key for that, otherwise by Escape, which
    /// asks the worker.
    private func keys(ofCovering node: FrontNode) -> [KeyBinding] {
        let keys = keys(of: node)
        guard !keys.contains(where: { $0.role == .cancel || $0.key == .escape }) else {
            return keys
        }
        let label = node.presentation == .modal ? "Close" : "Back"
        return keys + [
            KeyBinding(.escape, label, role: .cancel) { [send] in
                send(node.id, .dismiss, Payload())
            }
        ]
    }

    // MARK: - Tabs

    /// The tabs as the worker reports them, otherwise as they are mounted.
    private func tabs(of node: FrontNode) -> TabRow? {
        let mounted = node.children.filter { $0.presentation == .tab }
        if let bar = node.tabBar {
            return TabRow(
                names: bar.names, index: bar.names.firstIndex(of: bar.selected) ?? 0,
                child: mounted.first { $0.slot == bar.selected }, mounted: mounted)
        }
        guard !mounted.isEmpty else { return nil }
        let index = mounted.firstIndex { $0.id == chosenTabs[node.id] } ?? 0
        return TabRow(
            names: mounted.map(\.slot), index: index, child: mounted[index], mounted: mounted)
    }

    /// Ctrl-T goes to the next tab, wherever the focus is; Tab moves the focus.
    private func tabKeys(of node: FrontNode, _ row: TabRow) -> [KeyBinding] {
        guard row.names.count > 1 else { return [] }
        // Plain text has always named this key.
        let key = isLinear ? Key.tab : .control("t")
        let next = (row.index + 1) % row.names.count
        return [
            KeyBinding(key, row.names[next]) { [weak self] in
                self?.selectTab(next, of: node, row)
            }
        ]
    }

    /// Selects a tab; the worker decides if it has reported the tabs.
    private func selectTab(_ index: Int, of node: FrontNode, _ row: TabRow) {
        guard row.names.indices.contains(index) else { return }
        guard node.tabBar == nil else {
            select(row.names[index], node)
            return
        }
        guard row.mounted.indices.contains(index) else { return }
        chosenTabs[node.id] = row.mounted[index].id
        redraw()
    }
}

extension RenderedElement {
    fileprivate var isTabPlace: Bool {
        if case .childTabs = self { true } else { false }
    }

    fileprivate func isPlace(of slot: String) -> Bool {
        if case .child(slot) = self { true } else { false }
    }
}

/// The tabs of a node on the screen.
private struct TabRow {
    let names: [String]
    let index: Int
    /// The selected tab's child; a front may learn of it later than of the selection.
    let child: FrontNode?
    let mounted: [FrontNode]
}

extension FrontNode {
    /// Whether it has a view of its own; otherwise a generic one is shown.
    package var hasView: Bool { view?.view is any View }

    /// Whether a new state of it is read from the node itself, which nobody observes.
    package func isDrawn(from method: MethodID) -> Bool { !hasView || method == .tabs }

    /// Returns the child with that presentation that was mounted last.
    package func newest(_ presentation: Presentation) -> FrontNode? {
        children.last { $0.presentation == presentation }
    }
}
