// PageComposer: composes one page from the views of a session's tree.
//
// Ownership  reads the tree; keeps the state of its views, a node's selected tab unless the worker
//            keeps it, and the generic views of the shown nodes.
//
// The rule for the children of a node, by presentation: the newest modal lies over everything else
// of the node. The newest pushed child covers the view. Embedded children, and one of the tabs, are
// where the view has a place for them, otherwise below it. A view's banner is always visible, above
// all of these.

package import NapkinCore
package import NapkinFront

package final class PageComposer {
    /// The contracts of the session's features, for features without a view.
    package var schemas: [FeatureSchema] = []
    let send: EventSender
    let select: TabSelector
    private let redraw: () -> Void
    package var askArguments: ArgumentAsker = { _, _, _ in }
    /// Called when a state of a generic view has changed, to schedule the end of its marks.
    package var changed: (GenericModel) -> Void = { _ in }
    private var chosenTabs: [UInt32: UInt32] = [:]
    private var generics: [UInt32: GenericModel] = [:]
    private var renderings: [UInt32: NodeRendering] = [:]
    /// The renderings of the former tree, by their nodes in this one.
    private var former: [UInt32: NodeRendering] = [:]
    private var isNewEpoch = false
    private var root: FrontNode?
    private var seen: Set<UInt32> = []
    private var dialog: Dialog?
    /// Distinguishes the pages of the visible views.
    private var scope = ""
    private var isLinear = false

    /// - Parameters:
    ///   - send: sends an event of a generic view, and the request to dismiss a view.
    ///   - select: asks the worker for a tab.
    ///   - redraw: called when a value that a visible view read has changed.
    package init(
        send: @escaping EventSender, select: @escaping TabSelector = { _, _ in },
        redraw: @escaping () -> Void
    ) {
        self.send = send
        self.select = select
        self.redraw = redraw
    }

    // MARK: - The tree

    /// Follows the tree, before it is composed. If the tree was rebuilt, returns the new numbers of
    /// the nodes that it still contains; views whose path is gone are dropped.
    ///
    /// - Parameter isNewEpoch: whether a rebuilt tree is another worker's.
    package func follow(_ tree: FrontTree, isNewEpoch: Bool) -> [UInt32: UInt32]? {
        guard let newRoot = tree.root else { return nil }
        guard newRoot !== root else {
            forget { tree.node($0) != nil }
            return nil
        }
        let isFirst = root == nil
        root = newRoot
        let nodes = TreePath.nodes(from: newRoot)
        var numbers: [UInt32: UInt32] = [:]
        former = [:]
        for (number, rendering) in renderings {
            guard let path = rendering.path, let now = nodes[path] else {
                rendering.leave()
                continue
            }
            numbers[number] = now
            former[now] = rendering
        }
        renderings = [:]
        self.isNewEpoch = isNewEpoch
        return isFirst ? nil : numbers
    }

    /// Notes the paths of the composed nodes.
    package func notePaths(in tree: FrontTree) {
        for rendering in renderings.values where rendering.path == nil {
            rendering.path = TreePath.path(of: rendering.node, in: tree)
        }
    }

    /// Ends all views, since nobody sees them any more.
    package func leave() {
        for rendering in Array(renderings.values) + Array(former.values) { rendering.leave() }
        (renderings, former) = ([:], [:])
    }

    /// Drops the state of nodes that no longer exist.
    package func forget(except isThere: (UInt32) -> Bool) {
        generics = generics.filter { isThere($0.key) }
        chosenTabs = chosenTabs.filter { isThere($0.key) }
        for (node, rendering) in renderings where !isThere(node) {
            rendering.leave()
            renderings[node] = nil
        }
    }

    package func compose(
        _ root: FrontNode?, dialog: Dialog? = nil, isLinear: Bool = false
    ) -> RenderedPage {
        self.isLinear = isLinear
        seen = []
        self.dialog = dialog
        scope = ""
        var path: [String] = []
        var shown =
            root.map { element(of: $0, &path) }
            ?? .text(Text("Nothing is shown yet.").foregroundStyle(.secondary))
        if let dialog { shown = dialog.over(shown) }
        var page = RenderedPage(shown, banner: root.map(banner) ?? [], isLinear: isLinear)
        page.path = path
        page.scope = scope
        page.calls = root.flatMap(calls)
        return page
    }

    /// Returns the calls for attention in visible views and in all banners.
    private func calls(of node: FrontNode) -> [PageCall]? {
        let turn = renderings[node.id]?.turn
        let own = seen.contains(node.id) ? turn?.calls : nil
        return node.children.reduce(own.with(turn?.banner?.calls)) { $0.with(calls(of: $1)) }
    }

    /// Runs the views' actions for appearing, changing and disappearing. Call it once the values
    /// that the composition read are observed: the actions may change them.
    package func finish() {
        for (node, rendering) in renderings { rendering.finish(isThere: seen.contains(node)) }
        dialog?.finish()
    }

    private func banner(of node: FrontNode) -> [RenderedElement] {
        var elements: [RenderedElement] = []
        if node.hasView {
            let rendering = rendering(of: node)
            rendering.updateOnce()
            elements = rendering.turn?.banner?.elements ?? []
        }
        return elements + node.children.flatMap(banner)
    }

    /// Returns the child that covers a node's view, or lies over it.
    package func cover(of node: FrontNode) -> FrontNode? {
        node.newest(.modal) ?? node.newest(.push)
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
            rendering.adoptState(from: former, isNewEpoch: isNewEpoch)
        }
        renderings[node.id] = rendering
        return rendering
    }

    private func element(of node: FrontNode, _ path: inout [String]) -> RenderedElement {
        let own = elementWithoutModal(of: node, &path)
        guard let modal = node.newest(.modal) else { return own }
        let content = covering(modal, "Close", &path)
        let rendering = rendering(of: modal)
        let title = rendering.turn?.path.last ?? modal.slot
        return own.below(
            RenderTurn.Presentation(title, plainTitle: modal.slot, [content], in: rendering.box))
    }

    private func elementWithoutModal(
        of node: FrontNode, _ path: inout [String]
    ) -> RenderedElement {
        if !node.hasView { _ = generic(of: node) }
        let rendering = rendering(of: node)
        let pushed = node.newest(.push)
        if pushed == nil { rendering.update() } else { rendering.updateOnce() }
        path += rendering.turn?.path ?? []
        if let pushed { return covering(pushed, "Back", &path) }
        seen.insert(node.id)
        scope += rendering.turn?.scope ?? ""
        return .node(node.id, content(of: node, rendering, &path))
    }

    /// Returns a child that covers others, with a key to leave it: the child's own key, otherwise
    /// Escape, which asks the worker.
    private func covering(
        _ child: FrontNode, _ label: String, _ path: inout [String]
    ) -> RenderedElement {
        let content = element(of: child, &path)
        // If another view covers the child, the person must leave that view first.
        guard cover(of: child) == nil, case .node(let id, let shown) = content else {
            return content
        }
        let leave = { [send] in send(child.id, .dismiss, Payload()) }
        return .node(id, shown.leaving(label, isLinear: isLinear, leave))
    }

    /// Returns the elements of a node's view with the node's children: where the view has a place
    /// for them, otherwise below it.
    private func content(
        of node: FrontNode, _ rendering: NodeRendering, _ path: inout [String]
    ) -> [RenderedElement] {
        var rest = node.children.filter { $0.presentation == .embed }
        var tabs = TabRow(node, chosen: chosenTabs[node.id])
        func fill(_ element: RenderedElement) -> [RenderedElement]? {
            guard case .outlet(let outlet) = element else { return nil }
            switch outlet {
            case .embedded:
                let here = rest.filter { outlet.fits($0) }
                rest.removeAll { outlet.fits($0) }
                return here.map { self.element(of: $0, &path) }
            case .tabs:
                defer { tabs = nil }
                let shown = tabs.map { tabElements(of: node, $0, &path) } ?? []
                return [.stack(.vertical(spacing: 0), shown)]
            }
        }
        var elements = rendering.elements.placing(fill)
        var presentations = rendering.turn?.presentations ?? []
        for index in presentations.indices {
            presentations[index].elements = presentations[index].elements.placing(fill)
        }
        for child in rest where !rendering.hasOutlet({ $0.fits(child) }) {
            elements.append(element(of: child, &path))
        }
        if let tabs, !rendering.hasOutlet({ $0 == .tabs }) {
            elements += tabElements(of: node, tabs, &path)
        }
        return elements.below(presentations)
    }

    /// Returns the names of a node's tabs, the selected one, and the key of the next one.
    private func tabElements(
        of node: FrontNode, _ tabs: TabRow, _ path: inout [String]
    ) -> [RenderedElement] {
        let select = { [weak self] (index: Int) -> Void in self?.selectTab(index, of: node, tabs) }
        let strip = RenderedElement.tabs(tabs.names, selected: tabs.index, select: select)
        let tab = tabs.child.map { [element(of: $0, &path)] } ?? []
        let keys = RenderedElement.keys(tabs.keys(isLinear: isLinear, select))
        return [.node(node.id, [strip])] + tab + [.node(node.id, [keys])]
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

extension ChildOutlet {
    /// Whether it is an outlet for an embedded child.
    fileprivate func fits(_ child: FrontNode) -> Bool {
        guard case .embedded(let feature, let slot) = self else { return false }
        return feature == child.feature && (slot == nil || slot == child.slot)
    }
}

extension FrontNode {
    /// Whether it has a registered view; otherwise a generic one is shown.
    package var hasView: Bool { view?.view is any View }

    /// Whether drawing reads a new state from the node itself, which is not observed.
    package func isDrawn(from method: MethodID) -> Bool { !hasView || method == .tabs }

    package func newest(_ presentation: Presentation) -> FrontNode? {
        children.last { $0.presentation == presentation }
    }
}

extension PageComposer {
    /// Returns the events of all mounted features, from the root on, and the selectable tabs.
    ///
    /// - Parameter page: the page; an event is left out if a button of its node on the page has the
    ///   event's name.
    package func commands(of node: FrontNode?, besides page: RenderedPage? = nil)
        -> [PaletteCommand]
    {
        var labels: [UInt32: Set<String>] = [:]
        page?.root.collectLabels(&labels)
        return node.map { commands(of: $0, without: labels) } ?? []
    }

    private func commands(of node: FrontNode, without labels: [UInt32: Set<String>])
        -> [PaletteCommand]
    {
        let feature = node.feature.rawValue
        let schema = schemas.first { $0.feature == feature }
        let events = (schema?.listens ?? []).compactMap { method -> PaletteCommand? in
            let title = MethodWords.title(of: method.key)
            let hasForm = !method.parameters.isEmpty
            if !hasForm, labels[node.id]?.contains(title.lowercased()) == true { return nil }
            return PaletteCommand(title + (hasForm ? " …" : ""), detail: feature) { [weak self] in
                self?.choose(method, of: node, schema?.types ?? [])
            }
        }
        let tabs = (node.tabBar?.names ?? []).map { tab in
            PaletteCommand(tab, detail: "tab of \(feature)") { [weak self] in
                self?.select(tab, node)
            }
        }
        return events + tabs + node.children.flatMap { commands(of: $0, without: labels) }
    }

    private func choose(_ method: MethodSchema, of node: FrontNode, _ types: [TypeSchema]) {
        guard method.parameters.isEmpty else { return askArguments(node, method, types) }
        send(node.id, method.id, Payload())
    }
}

/// The tabs of a node on the screen, which are children of its router's tabs.
struct TabRow {
    let names: [String]
    let index: Int
    /// The selected tab's child; a front may learn of it later than of the selection.
    let child: FrontNode?
    let mounted: [FrontNode]

    /// The tabs as the worker reports them, otherwise as they are mounted; `nil` without tabs.
    ///
    /// - Parameter chosen: the child that is selected here, unless the worker decides.
    init?(_ node: FrontNode, chosen: UInt32?) {
        mounted = node.children.filter { $0.presentation == .tab }
        if let bar = node.tabBar {
            names = bar.names
            index = bar.names.firstIndex(of: bar.selected) ?? 0
            child = mounted.first { $0.slot == bar.selected }
        } else {
            guard !mounted.isEmpty else { return nil }
            names = mounted.map(\.slot)
            index = mounted.firstIndex { $0.id == chosen } ?? 0
            child = mounted[index]
        }
    }

    /// Returns the key of the next tab, wherever the focus is; Tab moves the focus.
    func keys(isLinear: Bool, _ select: @escaping (Int) -> Void) -> [KeyBinding] {
        guard names.count > 1 else { return [] }
        let next = (index + 1) % names.count
        // Plain text has always named this key.
        return [KeyBinding(isLinear ? .tab : .control("t"), names[next]) { select(next) }]
    }
}
