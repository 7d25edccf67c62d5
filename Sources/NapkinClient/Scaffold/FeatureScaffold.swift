// FeatureScaffold: the files of a new feature, and the lines that other files need for it.
//
// Invariant  besides the feature's own files, only composition roots and the parent change.

/// A feature, where it goes, and what it is told.
struct FeatureScaffold {
    let feature: ScaffoldName
    var isHeadless = false
    var placement = FeaturePlacement.embed
    var arguments: [FeatureArgument] = []
    let parent: ParentFeature
    let package: AppPackage

    private var app: ScaffoldName { package.app }
    private var name: String { feature.type }

    /// Whether the parent attaches it when it wants to, and is told when it may go. Other features
    /// are there as long as their parent is.
    var isRouted: Bool {
        !isHeadless && (placement == .push || placement == .modal || !arguments.isEmpty)
    }

    private var leaving: String { placement == .push ? "Back" : "Close" }

    /// The calls with which the interactor is made, with a test's values or with variables.
    func interactor(_ arguments: [String], listener: String) -> CodeLines.Call {
        guard !isHeadless else { return CodeLines.Call("\(name)Interactor", []) }
        let common = ["presenter: view.presenter"] + (isRouted ? ["listener: \(listener)"] : [])
        return CodeLines.Call("\(name)Interactor", common + arguments)
    }

    /// Writes the feature's files, and changes those that need it. Returns what was done, and what
    /// is left to do.
    ///
    /// Throws before anything is changed if a file or a type of that name is there, or if the
    /// parent can have no such child.
    func write() throws(ClientFailure) -> [String] {
        for ending in ReservedNames.endings[.feature] ?? [] where package.declares(name + ending) {
            throw ClientFailure(
                ExitTable.cannotCreate,
                "the app \(app.type) already has a type called \(name)\(ending); nothing was "
                    + "changed: choose another name")
        }
        let attaching = ParentEdit(self)
        guard parent.hasView || parent.router != nil else {
            throw ClientFailure(
                ExitTable.usage,
                "\(parent.name) is headless and has no router, so \(name) cannot be its child: "
                    + "choose another --parent, or write \(parent.name)Router first")
        }
        let edit = try CompositionEdit(insertions, in: package.directory)
        let files = files
        try files.write()
        try edit.write()
        return files.files.map { "created  \($0.path)" } + edit.report
            + (attaching.advice.map { ["", $0] } ?? [])
    }

    // MARK: - The feature's own files

    /// The feature's own files, and its parent's router if it needs the first one.
    var files: NewFiles {
        var files = NewFiles(in: package.directory)
        func add(_ path: String, _ bytes: [UInt8]) {
            let text = Template(bytes).filled(with: blanks(of: path))
                .text(app: app, feature: feature, [("/*@parent@*/", parent.name)])
            files.add(path, text)
        }
        let contract = "Sources/\(app.type)Contract/\(name).swift"
        let interactor = "Sources/\(app.type)Feature/\(name)Interactor.swift"
        let tests = "Tests/\(app.type)Tests/\(name)Tests.swift"
        if isHeadless {
            add(contract, PackageResources.Errand_swift)
            add(interactor, PackageResources.ErrandInteractor_swift)
            add(tests, PackageResources.ErrandTests_swift)
        } else {
            add(contract, PackageResources.Detail_swift)
            add(interactor, PackageResources.DetailInteractor_swift)
            add(
                "Sources/\(app.type)Front/\(name)Screen.swift",
                PackageResources.DetailScreen_swift)
            add(tests, PackageResources.DetailTests_swift)
        }
        if let router = ParentEdit(self).newRouter { files.add(router.path, router.text) }
        return files
    }

    /// Returns the lines for the blanks of a template.
    private func blanks(of path: String) -> [String: [String]] {
        if path.contains("/\(app.type)Contract/") { return contractBlanks }
        if path.contains("/\(app.type)Front/") { return viewBlanks }
        return path.hasPrefix("Tests/") ? testBlanks : interactorBlanks
    }

    private var contractBlanks: [String: [String]] {
        [
            "arguments": arguments.isEmpty
                ? []
                : [
                    "", "/// What the view is told once, when it is mounted.", "@Message",
                    "public struct Arguments: Hashable {",
                ] + arguments.map { "    public var \($0.name): \($0.type)" } + ["}"],
            "leaving": isRouted ? ["func didTap\(leaving)() async"] : [],
        ]
    }

    private var interactorBlanks: [String: [String]] {
        let parameters =
            ["presenter: any \(name)Presentable"]
            + (isRouted ? ["listener: any \(name)Listener"] : []) + arguments.parameters
        let assignments =
            ["self.presenter = presenter"] + (isRouted ? ["self.listener = listener"] : [])
            + arguments.map { "self.\($0.name) = \($0.name)" }
        return [
            "listener": isRouted
                ? [
                    "/// What the feature tells its parent.",
                    "protocol \(name)Listener: AnyObject, Sendable {",
                    "    func \(feature.slot)DidFinish() async", "}", "",
                ] : [],
            "stored":
                (isRouted ? ["@Volatile private weak var listener: (any \(name)Listener)?"] : [])
                + arguments.map { "private let \($0.name): \($0.type)" },
            "init": CodeLines.initializer(parameters, assignments),
            "leaving": isRouted
                ? [
                    "", "func didTap\(leaving)() async {",
                    "    await listener?.\(feature.slot)DidFinish()", "}",
                ] : [],
        ]
    }

    private var viewBlanks: [String: [String]] {
        [
            "stored": arguments.isEmpty ? [] : ["let arguments: \(name).Arguments"],
            "shown": arguments.map { argument in
                let isOptional = argument.type.hasSuffix("?")
                let value = "arguments.\(argument.name)" + (isOptional ? ", default: \"–\"" : "")
                return "Text(\"\(argument.name): \\(\(value))\")"
            },
            "leaving": isRouted
                ? [
                    "Button(\"\(leaving)\", role: .cancel) { dispatch { await "
                        + "model.listener.didTap\(leaving)() } }",
                    "    .keyboardShortcut(\"\(leavingKey)\")",
                ] : [],
        ]
    }

    private var leavingKey: String { leaving.prefix(1).lowercased() }

    private var testBlanks: [String: [String]] {
        let made = interactor(arguments.sampled, listener: "parent")
        let parent = isRouted ? ["let parent = Parent()"] : []
        let told =
            arguments.isEmpty
            ? [] : ["arguments: .init(\(arguments.sampled.joined(separator: ", ")))"]
        let screen =
            ["\"\(name)\""]
            + arguments.map { argument in
                let value = argument.samples.0
                let shown = value.hasPrefix("[") ? "\\(\(value))" : value.filter { $0 != "\"" }
                return "\"\(argument.name): \(shown)\""
            } + ["\"on\"", "\"[t] Toggle \(name)\""]
            + (isRouted ? ["\"[\(leavingKey)] \(leaving)\""] : [])
        return [
            "interactor": parent + made.lines("let interactor = ", depth: 8),
            "leaving": !isRouted
                ? []
                : [
                    "", "@Test func `it tells its parent that it may go`() async {",
                    "    let view = Recording<\(name)>()", "    let parent = Parent()",
                ] + made.lines("let interactor = ", depth: 8).map { "    \($0)" } + [
                    "    await interactor.activate()",
                    "    await interactor.didTap\(leaving)()",
                    "    #expect(parent.calls == [\"\(feature.slot)DidFinish()\"])",
                    "    await interactor.deactivate()", "}",
                ],
            "made": CodeLines.Call("\(name)Screen", ["model: model"] + told)
                .lines("let screen = ", depth: 8),
            "screen": CodeLines.expectation(
                "screen.render(width: 80, height: 20).map(\\.text)", screen, depth: 8),
            "nobody": isRouted ? ["func didTap\(leaving)() async {}"] : [],
            "end": isRouted
                ? [
                    "", "private final class Parent: RecordingListener, \(name)Listener {",
                    "    let journal = Journal()",
                    "    func \(feature.slot)DidFinish() async { record() }", "}",
                ] : [],
        ]
    }

    // MARK: - Other files

    /// The insertions into composition roots, and into the parent's files.
    var insertions: [Insertion] {
        let kept = Insertion(
            file: package.rootFile, lines: ["        \(name)Interactor.State.self,"],
            anchor: .last(of: "static let durableStates"),
            place: "into the list of durable states")
        let attaching = ParentEdit(self).insertions
        guard !isHeadless else { return [kept] + attaching }
        let told = arguments.isEmpty ? "" : ", arguments: $1"
        let register = CodeLines.Call(
            "registry.register", ["\(name).self", "\(name)Model.init"]
        ).lines(closure: "\(name)Screen(model: $0\(told))", depth: 8)
        return [
            Insertion(
                file: package.rootFile, lines: ["        \(name).self,"],
                anchor: .last(of: "static let features"), place: "into the list of features"),
            kept,
        ] + attaching + [
            Insertion(
                file: package.viewsFile,
                lines: register.map { "        \($0)" }, anchor: .before("    }"),
                place: "into register(in:)")
        ]
    }
}

extension ScaffoldName {
    /// The name of a slot, and of what is called after it: `ribHouse`.
    var slot: String { variable.replacing("`", with: "") }
}
