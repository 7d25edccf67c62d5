// FeatureWiring: a new feature's lines in the app and in its parent.
//
// A child that is attached on demand has a route in its parent's router; any other is attached
// when the router loads.

struct FeatureWiring {
    let child: FeatureScaffold
    private var parent: String { child.parent }
    private var name: String { child.feature.type }
    private var slot: String { child.feature.slot }

    init(of child: FeatureScaffold) { self.child = child }

    func insert(into files: inout MarkedFiles) {
        files.insert(
            MarkedLines(
                marker: "durable states", place: "in durableStates of the app",
                lines: ["\(name)Interactor.State.self,"]))
        if !child.isHeadless { insertView(into: &files) }
        if child.isRouted {
            insertRoute(into: &files)
        } else if child.placement == .tab {
            insertTab(into: &files)
        } else {
            children(["private let \(property) = \(slotType)<\(name)>(\"\(slot)\")"], &files)
            let making =
                switch child.placement {
                case .perFront: "_, _ in await \(name)Router.build()"
                default: child.isHeadless ? "\(name)Interactor()" : "await \(name)Router.build()"
                }
            lasting(["await attach(\(property)) { \(making) }"], &files)
        }
    }

    /// The call with which the parent's interactor shows the child; `nil` if it is always attached.
    var advice: String? {
        guard child.isRouted else { return nil }
        let values = child.arguments.map { "\($0.name): …" }.joined(separator: ", ")
        return "Show it from \(parent)Interactor: await router?.routeTo\(name)(\(values))"
    }

    // MARK: - The app

    private func insertView(into files: inout MarkedFiles) {
        files.insert(
            MarkedLines(
                marker: "features", place: "in features of the app", lines: ["\(name).self,"]))
        let told = child.arguments.isEmpty ? "" : ", arguments: $1"
        files.insert(
            MarkedLines(
                marker: "views", place: "in register(in:) of the views",
                lines: [
                    "registry.register(\(name).self, \(name)Model.init) {",
                    "    \(name)Screen(model: $0\(told))", "}",
                ]))
    }

    // MARK: - The parent's router

    private func children(_ lines: [String], _ files: inout MarkedFiles) {
        files.insert(
            MarkedLines(
                marker: childrenMarker, place: "in the class \(parent)Router",
                lines: [""] + lines))
    }

    private func lasting(_ lines: [String], _ files: inout MarkedFiles) {
        files.insert(
            MarkedLines(
                marker: "lasting children of \(parent)", place: "in didLoad() of \(parent)Router",
                lines: lines))
    }

    private var childrenMarker: String { "children of \(parent)" }
    private var slotType: String { child.placement == .perFront ? "FrontSlot" : "ChildSlot" }

    /// The name of the slot's property, different from the router's existing members.
    private var property: String {
        let taken = [
            "children", "core", "interactable", "interactor", "node", "pages", "tabs", "view",
        ]
        return taken.contains(slot) ? "\(slot)Slot" : child.feature.variable
    }

    private func insertTab(into files: inout MarkedFiles) {
        let (marker, bar) = ("tabs of \(parent)", "private let tabs = ChildTabs()")
        let isFirst = !files.hasLine(bar, beside: childrenMarker)
        let own = "private let \(property) = ChildSlot<\(name)>(\"\(slot)\")"
        children((isFirst ? [bar] : []) + [own], &files)
        let tab = "Tab(\(property)) { _ in await \(name)Router.build() }"
        if isFirst {
            lasting(
                [
                    "await open(", "    tabs,", "    [", "        \(tab)",
                    "        // napkin: \(marker)",
                ]
                    + ["    ])"], &files)
        } else {
            files.insert(
                MarkedLines(
                    marker: marker, place: "in open(tabs, […]) of \(parent)Router",
                    lines: [tab + ","]))
        }
    }

    private func insertRoute(into files: inout MarkedFiles) {
        let parameters = child.arguments.parameters.joined(separator: ", ")
        let (to, from) = (
            "func routeTo\(name)(\(parameters)) async", "func routeFrom\(name)() async"
        )
        files.insert(
            MarkedLines(
                marker: "routes of \(parent)", place: "in the protocol \(parent)Routing",
                lines: [to, from]))
        let (stack, isPushed) = ("private let pages = ChildStack()", child.placement == .push)
        let needsStack = isPushed && !files.hasLine(stack, beside: childrenMarker)
        let place =
            switch child.placement {
            case .push: ", on: \\.pages"
            case .modal: ", presentation: .modal"
            default: ""
            }
        let told =
            child.arguments.isEmpty
            ? "" : ", arguments: .init(\(child.arguments.passed.joined(separator: ", ")))"
        let leaving = isPushed ? "pop(\(property), off: pages)" : "detach(\(property))"
        children(
            (needsStack ? [stack] : []) + [
                "private let \(property) = ChildRoute<\(parent)Router, \(name)>(",
                "    \"\(slot)\"\(place)", ") { router, view in",
                "    await \(name)Router.build(view, listener: router.interactor)", "}", "",
                "\(to) {", "    await attach(\(property)\(told))", "}", "",
                "\(from) {", "    await \(leaving)", "}",
            ], &files)
        files.insert(
            MarkedLines(
                marker: "\(parent) as a listener", place: "after \(parent)Interactor",
                lines: [
                    "", "extension \(parent)Interactor: \(name)Listener {",
                    "    func \(slot)DidFinish() async {",
                    "        await router?.routeFrom\(name)()", "    }", "}",
                ]))
    }
}
