// FeatureScaffold+Wiring: a new feature's lines in the app and in its parent.
//
// A child that is attached on demand has a route in its parent's router; any other is attached
// when the router loads.

extension FeatureScaffold {
    func wire(into files: inout MarkedFiles) {
        files.insert(
            "durable states", "in durableStates of the app", ["\(name)Interactor.State.self,"])
        if !isHeadless { insertView(into: &files) }
        if isRouted {
            insertRoute(into: &files)
        } else if placement == .tab {
            insertTab(into: &files)
        } else {
            children(
                ["private let \(property) = \(slotType)<\(name)>(\"\(feature.slot)\")"], &files)
            let making =
                switch placement {
                case .perFront: "_, _ in await \(name)Router.build()"
                default: isHeadless ? "\(name)Interactor()" : "await \(name)Router.build()"
                }
            lasting(["await attach(\(property)) { \(making) }"], &files)
        }
    }

    /// The call with which the parent's interactor shows the child; `nil` if it is always attached.
    var advice: String? {
        guard isRouted else { return nil }
        let values = arguments.map { "\($0.name): …" }.joined(separator: ", ")
        return "Show it from \(parent)Interactor: await router?.routeTo\(name)(\(values))"
    }

    // MARK: - The app

    private func insertView(into files: inout MarkedFiles) {
        files.insert("features", "in features of the app", ["\(name).self,"])
        let passed = arguments.isEmpty ? "" : ", arguments: $1"
        files.insert(
            "views", "in register(in:) of the views",
            [
                "registry.register(\(name).self, \(name)Model.init) {",
                "    \(name)Screen(model: $0\(passed))", "}",
            ])
    }

    // MARK: - The parent's router

    private func children(_ lines: [String], _ files: inout MarkedFiles) {
        files.insert(childrenMarker, "in the class \(parent)Router", [""] + lines)
    }

    private func lasting(_ lines: [String], _ files: inout MarkedFiles) {
        files.insert("lasting children of \(parent)", "in didLoad() of \(parent)Router", lines)
    }

    private var childrenMarker: String { "children of \(parent)" }
    private var slotType: String { placement == .perFront ? "FrontSlot" : "ChildSlot" }

    /// The name of the slot's property, different from the router's existing members.
    private var property: String {
        let taken = [
            "children", "core", "interactable", "interactor", "node", "pages", "tabs", "view",
        ]
        return taken.contains(feature.slot) ? "\(feature.slot)Slot" : feature.variable
    }

    private func insertTab(into files: inout MarkedFiles) {
        let (marker, bar) = ("tabs of \(parent)", "private let tabs = ChildTabs()")
        let isFirst = !files.hasLine(bar, beside: childrenMarker)
        let own = "private let \(property) = ChildSlot<\(name)>(\"\(feature.slot)\")"
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
            files.insert(marker, "in open(tabs, […]) of \(parent)Router", [tab + ","])
        }
    }

    private func insertRoute(into files: inout MarkedFiles) {
        let parameters = arguments.parameters.joined(separator: ", ")
        let (to, from) = (
            "func routeTo\(name)(\(parameters)) async", "func routeFrom\(name)() async"
        )
        files.insert("routes of \(parent)", "in the protocol \(parent)Routing", [to, from])
        let (stack, isPushed) = ("private let pages = ChildStack()", placement == .push)
        let needsStack = isPushed && !files.hasLine(stack, beside: childrenMarker)
        let place =
            switch placement {
            case .push: ", on: \\.pages"
            case .modal: ", presentation: .modal"
            default: ""
            }
        let passed =
            arguments.isEmpty
            ? "" : ", arguments: .init(\(arguments.passed.joined(separator: ", ")))"
        let leaving = isPushed ? "pop(\(property), off: pages)" : "detach(\(property))"
        children(
            (needsStack ? [stack] : []) + [
                "private let \(property) = ChildRoute<\(parent)Router, \(name)>(",
                "    \"\(feature.slot)\"\(place)", ") { router, view in",
                "    await \(name)Router.build(view, listener: router.interactor)", "}", "",
                "\(to) {", "    await attach(\(property)\(passed))", "}", "",
                "\(from) {", "    await \(leaving)", "}",
            ], &files)
        files.insert(
            "\(parent) as a listener", "after \(parent)Interactor",
            [
                "", "extension \(parent)Interactor: \(name)Listener {",
                "    func \(feature.slot)DidFinish() async {",
                "        await router?.routeFrom\(name)()", "    }", "}",
            ])
    }
}
