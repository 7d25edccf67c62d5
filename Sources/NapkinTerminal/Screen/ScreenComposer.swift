// ScreenComposer: composes one screen from the views of a session's tree.
//
// Layer      terminal, screen.
// Isolation  @MainActor.
// Ownership  reads the tree; keeps a node's selected tab, unless the worker does, and the generic
//            views of the shown nodes.
//
// The rule for the children of a node, by presentation: the newest modal lies over everything else
// of the node, and the newest pushed one covers it; otherwise the node's view is visible with its
// embedded children in it, and one of its tabs below. What a view has as its banner is visible in
// any case, above all of that.

public import NapkinCore
public import NapkinFront

/// The visible lines, and what can be pressed there.
public struct Composition {
    public var lines: [StyledLine]
    public var keys: [KeyBinding]
    /// The regions that can be focused and clicked.
    public var targets: [FocusTarget] = []
    /// The models of the elements that a person can change.
    var models: [FocusKey: any PersonalModel] = [:]
    /// The position of the terminal's cursor, if it is visible.
    var caret: (x: Int, y: Int)?
    /// The lines that stay at the top of the screen, above `lines`, which they do not scroll with.
    public internal(set) var banner: [StyledLine] = []
    /// Lines of all banners together. Chosen: on the smallest screen something else is seen, too.
    public static let bannerLinesMax = 3
    /// The titles of the views that lead here, if there is room for them.
    public var path: [String] = []

    init(lines: [StyledLine], keys: [KeyBinding]) {
        self.lines = lines
        self.keys = keys
    }

    /// Whether there is nothing to see and nothing to press.
    public var isEmpty: Bool { lines.isEmpty && keys.isEmpty }
}

/// A view of the front itself over the session's views.
struct Dialog {
    let id: String
    let title: String
    let view: any ElementView
}

/// Lays the mounted views into one screen.
public final class ScreenComposer {
    /// The contracts of the session's features, for features without a view.
    public var schemas: [FeatureSchema] = []
    private let send: EventSender
    private let select: TabSelector
    private let redraw: () -> Void
    private let tracking: ReadTracking
    var askArguments: ArgumentAsker = { _, _, _ in }
    /// Called when a state of a generic view has changed, to schedule the end of its marks.
    var changed: (GenericView) -> Void = { _ in }
    private var chosenTabs: [UInt32: UInt32] = [:]
    private var generics: [UInt32: GenericView] = [:]
    private var isLinear = false

    /// - Parameters:
    ///   - send: sends an event of a generic view, and the request to dismiss a view.
    ///   - select: asks the worker for a tab.
    ///   - redraw: called when something changes that the last composition has read; once, until
    ///     the next one.
    public init(
        send: @escaping EventSender, select: @escaping TabSelector = { _, _ in },
        redraw: @escaping () -> Void
    ) {
        self.send = send
        self.select = select
        self.redraw = redraw
        tracking = ReadTracking(redraw)
    }

    /// Composes the tree below `root` for `width` by `height` cells.
    ///
    /// No line is wider than `width`; there may be more than `height` lines.
    ///
    /// - Parameters:
    ///   - root: the root of the tree; without one the composition is empty.
    ///   - width: cells of a line.
    ///   - height: the available lines.
    ///   - isLinear: whether to compose plain text; see `LayoutPass.isLinear`.
    public func compose(
        _ root: FrontNode?, width: Int, height: Int, isLinear: Bool = false
    ) -> Composition {
        compose(root, width: width, height: height, isLinear: isLinear, focus: nil, dialog: nil)
    }

    func compose(
        _ root: FrontNode?, width: Int, height: Int, isLinear: Bool = false, focus: FocusKey?,
        dialog: Dialog?, hasRoomForPath: Bool = false
    ) -> Composition {
        tracking.during {
            CompositionBodies.during {
                composeOnce(root, width, height, isLinear, focus, dialog, hasRoomForPath)
            }
        }
    }

    private func composeOnce(
        _ root: FrontNode?, _ width: Int, _ height: Int, _ isLinear: Bool, _ focus: FocusKey?,
        _ dialog: Dialog?, _ hasRoomForPath: Bool
    ) -> Composition {
        self.isLinear = isLinear
        var page: any Element = Text("Nothing is shown yet.").foregroundStyle(.secondary)
        var keys: [KeyBinding] = []
        var path: [String] = []
        if let root {
            page = element(of: root, &path)
            keys = self.keys(of: root)
        }
        if let dialog {
            let content = NodeElement(node: 0, view: dialog.view, panes: [])
            page = Overlay(base: page, title: dialog.title, content: content)
            keys = dialog.view.keys
        }
        let banner = banner(of: root, width, height)
        keys += banner.keys
        let showsPath = hasRoomForPath && path.count > 1
        let height = height - (showsPath ? 1 : 0) - banner.lines.count
        let pass = LayoutPass(isLinear: isLinear, height: height, focus: focus)
        pass.showsPath = showsPath
        let lines = page.draw(in: Area(width: width, height: height), pass)
        var composition = Composition(lines: lines.map { $0.fitted(to: width) }, keys: keys)
        // Plain text has no top at which anything could stay.
        if isLinear {
            composition.lines = banner.lines + composition.lines
        } else {
            composition.banner = banner.lines
        }
        composition.targets = pass.targets
        composition.models = pass.models
        composition.caret = pass.caret
        composition.path = showsPath ? path : []
        return composition
    }

    /// Returns the banners of a tree, the root's first, in at most half of `height`.
    private func banner(
        of root: FrontNode?, _ width: Int, _ height: Int
    ) -> (lines: [StyledLine], keys: [KeyBinding]) {
        let elements = Elements(root.map(banners) ?? [])
        guard !elements.members.isEmpty else { return ([], []) }
        let count = min(Composition.bannerLinesMax, height / 2)
        let pass = LayoutPass(isLinear: isLinear, height: count, focus: nil)
        let lines = elements.draw(in: Area(width: width, height: count), pass)
        return (lines.prefix(count).map { $0.fitted(to: width) }, elements.bindings)
    }

    private func banners(of node: FrontNode) -> [any Element] {
        (node.elementView?.banner.members ?? []) + node.children.flatMap(banners)
    }

    /// Forgets what belongs to nodes that are no longer shown.
    func forget(except isShown: (UInt32) -> Bool) {
        generics = generics.filter { isShown($0.key) }
        chosenTabs = chosenTabs.filter { isShown($0.key) }
    }

    // MARK: - Elements

    private func element(of node: FrontNode, _ path: inout [String]) -> any Element {
        if let modal = node.newest(.modal) {
            let base = elementWithoutModal(of: node, &path)
            let title = view(of: modal).title ?? modal.slot
            return Overlay(
                base: base, title: isLinear ? modal.slot : title,
                content: element(of: modal, &path))
        }
        return elementWithoutModal(of: node, &path)
    }

    private func elementWithoutModal(of node: FrontNode, _ path: inout [String]) -> any Element {
        let view = view(of: node)
        if let title = view.title { path.append(title) }
        if let pushed = node.newest(.push) { return element(of: pushed, &path) }
        var panes: [PlacedPane] = []
        for child in node.children where child.presentation == .embed {
            panes.append(PlacedPane(slot: child.slot, element: element(of: child, &path)))
        }
        let own = NodeElement(node: node.id, view: view, panes: panes)
        guard let row = tabs(of: node) else { return own }
        let strip = TabStrip(row.names, selected: row.index) { [weak self] in
            self?.selectTab($0, of: node, row)
        }
        let strips = NodeElement(node: node.id, view: ElementHolder(strip), panes: [])
        let child = row.child.map { element(of: $0, &path) }
        return VStack(members: [own, strips] + (child.map { [$0] } ?? []), spacing: 0)
    }

    private func view(of node: FrontNode) -> any ElementView {
        node.elementView ?? generic(of: node)
    }

    /// Returns the generic view of a node without a view.
    func generic(of node: FrontNode) -> GenericView {
        let schema = schemas.first { $0.feature == node.feature.rawValue }
        if let kept = generics[node.id], kept.node.feature == node.feature {
            kept.node = node
            kept.schema = schema
            if kept.update() { changed(kept) }
            return kept
        }
        let view = GenericView(node: node, schema: schema, send: send) { [weak self] in
            self?.askArguments($0, $1, $2)
        }
        _ = view.update()
        generics[node.id] = view
        return view
    }

    // MARK: - Keys

    /// The innermost view's keys come first: Enter belongs to the nearest one.
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
        let view = view(of: node)
        if isLinear, let generic = view as? GenericView { return keys + generic.plainKeys }
        return keys + view.keys
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

/// The tabs of a node on the screen.
private struct TabRow {
    let names: [String]
    let index: Int
    /// The selected tab's child; a front may learn of it later than of the selection.
    let child: FrontNode?
    let mounted: [FrontNode]
}

/// An element wrapped as a view.
private final class ElementHolder: ElementView {
    let body: Elements

    init(_ element: any Element) {
        body = Elements([element])
    }
}

extension FrontNode {
    /// Its view; `nil` where a generic one is shown.
    var elementView: (any ElementView)? { view?.view as? any ElementView }

    /// Whether a new state of it is read from the node itself, which nobody observes.
    func isDrawn(from method: MethodID) -> Bool { elementView == nil || method == .tabs }

    /// Returns the child with that presentation that was mounted last.
    func newest(_ presentation: Presentation) -> FrontNode? {
        children.last { $0.presentation == presentation }
    }
}
