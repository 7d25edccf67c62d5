// ParentEdit: what a parent needs for a new child: the slot, the routes, and the listener.
//
//
// A child that is there as long as the app's root needs no router: makeRoot attaches it. Any other
// child is its parent's router's, which has a route for it if it comes and goes. A parent that has
// no router yet gets a file with one, and is made with it from then on.

/// The insertions into the parent's files, and its first router.
struct ParentEdit {
    private let child: FeatureScaffold
    private var parent: ParentFeature { child.parent }
    private var name: String { child.feature.type }
    private var slot: String { child.feature.slot }
    private let routerFile: String
    private let routerText: String
    private let needsRouter: Bool

    init(_ child: FeatureScaffold) {
        self.child = child
        let parent = child.parent
        needsRouter =
            parent.router == nil && !(parent.isRoot && !child.isRouted && child.placement != .tab)
        routerFile =
            parent.router?.file ?? "\(child.package.featureDirectory)/\(parent.name)Router.swift"
        routerText = parent.router?.text ?? ""
    }

    /// The file with the parent's first router, if it needs one.
    var newRouter: (path: String, text: String)? {
        guard needsRouter else { return nil }
        var text = Template(PackageResources.DetailRouter_swift).text(
            app: child.package.app, feature: ScaffoldName(existing: parent.name),
            [
                ("ViewableRouting", parent.isRoot ? "LaunchRouting" : "ViewableRouting"),
                ("ViewableRouter", parent.isRoot ? "LaunchRouter" : "ViewableRouter"),
            ])
        for insertion in routerInsertions { text = insertion.applied(to: text) ?? text }
        return (routerFile, text)
    }

    var insertions: [Insertion] {
        guard needsRouter || parent.router != nil else {
            return [
                Insertion(
                    file: child.package.rootFile,
                    lines: attaching(
                        "await root.attach(\(slotType)<\(name)>(\"\(slot)\")", depth: 8),
                    anchor: .before("        return root"),
                    place: "where the root is made, in makeRoot(_:)")
            ]
        }
        let wiring = needsRouter ? wiringInsertions : routerInsertions
        return wiring + listening
    }

    // MARK: - The router

    /// A router has members of these names already.
    private var property: String {
        let taken = ["children", "core", "interactable", "interactor", "node", "pages", "view"]
        return taken.contains(slot) ? "\(slot)Slot" : child.feature.variable
    }

    private var stack: String {
        let words = routerText.split { !$0.isLetter && !$0.isNumber && $0 != "_" }
        let place = words.indices.first { $0 >= 1 && words[$0] == "ChildStack" }
        return place.map { String(words[$0 - 1]) } ?? "pages"
    }

    private var routerInsertions: [Insertion] {
        let head = "final class \(parent.name)Router"
        func insertion(_ lines: [String], _ anchor: Insertion.Anchor, _ place: String) -> Insertion
        {
            Insertion(file: routerFile, lines: lines, anchor: anchor, place: place)
        }
        var all = [insertion(slots, .top(of: head), "into the router")]
        if child.isRouted {
            all.append(
                insertion(
                    [
                        "    func routeTo\(name)(\(parameters)) async",
                        "    func routeFrom\(name)() async",
                    ], .bottom(of: "protocol \(parent.name)Routing"), "into the routes"))
            all.append(insertion(routes, .bottom(of: head), "into the router"))
            return all
        }
        let opensTabs = routerText.contains("await open(")
        if child.placement == .tab, opensTabs {
            let lines = tab(depth: 16)
            all.append(
                insertion(
                    lines.dropLast() + [(lines.last ?? "") + ","], .before("            ])"),
                    "into the list of tabs"))
            return all
        }
        let didLoad = "    override func didLoad() async {"
        let lines =
            child.placement == .tab
            ? ["        await open(", "            tabs,", "            ["] + tab(depth: 16)
                + ["            ])"]
            : attaching("await attach(\(property)", depth: 8)
        if routerText.contains(didLoad) {
            all.append(insertion(lines, .bottom(of: didLoad), "into didLoad()"))
        } else {
            all.append(
                insertion(
                    ["", didLoad] + lines + ["    }"], .bottom(of: head), "into the router"))
        }
        return all
    }

    private var slotType: String { child.placement == .perFront ? "FrontSlot" : "ChildSlot" }

    private var parameters: String { child.arguments.parameters.joined(separator: ", ") }

    private var slots: [String] {
        let presentation = child.placement == .modal ? ", presentation: .modal" : ""
        guard !child.isRouted else { return stacks + route(presentation) }
        let own = "    private let \(property) = \(slotType)<\(name)>(\"\(slot)\"\(presentation))"
        guard child.placement == .tab, !routerText.contains("ChildTabs()") else { return [own] }
        return ["    private let tabs = ChildTabs()", own]
    }

    private var stacks: [String] {
        guard child.placement == .push, !routerText.contains("ChildStack()") else { return [] }
        return ["    private let \(stack) = ChildStack()"]
    }

    /// The route, with how the child is made.
    private func route(_ presentation: String) -> [String] {
        let place = child.placement == .push ? ", on: \\.\(stack)" : presentation
        let head =
            "    private let \(property) = ChildRoute<\(parent.name)Router, \(name)>"
            + "(\"\(slot)\"\(place)) {"
        let passed = child.arguments.map { "\($0.name): view.arguments.\($0.name)" }
        let made = child.interactor(passed, listener: "router.interactor").lines(depth: 8)
        let isWide = "\(head) router, view in".count > CodeLines.columnsMax
        return (isWide ? [head, "        router, view in"] : ["\(head) router, view in"])
            + made.map { "        \($0)" } + ["    }"]
    }

    private var routes: [String] {
        let told =
            child.arguments.isEmpty
            ? "" : ", arguments: .init(\(child.arguments.passed.joined(separator: ", ")))"
        let leaving =
            child.placement == .push
            ? "await pop(\(property), off: \(stack))" : "await detach(\(property))"
        return [
            "", "    func routeTo\(name)(\(parameters)) async {",
            "        await attach(\(property)\(told))", "    }", "",
            "    func routeFrom\(name)() async {", "        \(leaving)", "    }",
        ]
    }

    private func tab(depth: Int) -> [String] {
        let indentation = String(repeating: " ", count: depth)
        let made = child.interactor([], listener: "").lines(depth: depth + 4)
        return ["\(indentation)Tab(\(property)) { _, view in"]
            + made.map { "\(indentation)    \($0)" } + ["\(indentation)}"]
    }

    /// Returns a call whose closure builds the child; `head` lacks its last parenthesis.
    private func attaching(_ head: String, depth: Int) -> [String] {
        let indentation = String(repeating: " ", count: depth)
        let made = child.interactor([], listener: "")
        let closure =
            switch child.placement {
            case .perFront: " _, _, view in"
            case _ where child.isHeadless: ""
            default: " view in"
            }
        return ["\(indentation)\(head)) {\(closure)"]
            + made.lines(depth: depth + 4).map { "\(indentation)    \($0)" } + ["\(indentation)}"]
    }

    // MARK: - The interactor

    /// Makes the parent with its first router.
    private var wiringInsertions: [Insertion] {
        let file = parent.interactor.file
        let mark = parent.interactor.text.contains("@Durable") ? "@Volatile " : ""
        return [
            Insertion(
                file: file,
                lines: ["    \(mark)private weak var router: (any \(parent.name)Routing)?"],
                anchor: .before("    nonisolated let lifecycle = InteractorLifecycle()"),
                place: "into the interactor"),
            Insertion(
                file: file,
                lines: [
                    "", "    func wire(router: any \(parent.name)Routing) {",
                    "        self.router = router", "    }",
                ], anchor: .bottom(of: "final actor \(parent.name)Interactor"),
                place: "into the interactor"),
        ] + RouterWiring(of: parent, in: child.package).insertions
    }

    /// What the parent does when the child has finished.
    private var listening: [Insertion] {
        guard child.isRouted else { return [] }
        return [
            Insertion(
                file: parent.interactor.file,
                lines: [
                    "", "extension \(parent.name)Interactor: \(name)Listener {",
                    "    func \(slot)DidFinish() async {",
                    "        await router?.routeFrom\(name)()", "    }", "}",
                ], anchor: parent.isWired || needsRouter ? .end : .person,
                place: "with the router that the interactor knows")
        ]
    }

    /// How the parent's interactor shows the child; `nil` if it is there by itself.
    var advice: String? {
        guard child.isRouted else { return nil }
        let values = child.arguments.map { "\($0.name): …" }.joined(separator: ", ")
        return "Show it from \(parent.name)Interactor: await router?.routeTo\(name)(\(values))"
    }
}
