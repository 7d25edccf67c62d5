// FeatureScaffold: the files of a new feature.
//
// Invariant  writes everything or nothing; changes other files only at their markers.

struct FeatureScaffold {
    let feature: ScaffoldName
    var isHeadless = false
    /// Whether it begins without a state, an event and a button.
    var isBare = false
    var placement = FeaturePlacement.embed
    var arguments: [FeatureArgument] = []
    /// The name of its parent feature.
    let parent: String
    let package: AppPackage

    /// The most columns of a generated line.
    private static let columnsMax = 100

    private var app: ScaffoldName { package.app }
    var name: String { feature.type }

    /// Whether the parent attaches the feature on demand, and learns when it may detach it. Other
    /// features live as long as their parent.
    var isRouted: Bool {
        !isHeadless && (placement == .push || placement == .modal || !arguments.isEmpty)
    }

    private var leaving: String { placement == .push ? "Back" : "Close" }

    /// Writes the feature's files and its lines in other files. Returns a report of the changes
    /// and the remaining steps, and whether every line was inserted.
    ///
    /// Throws before any change if one of the files exists.
    func write() throws(ClientFailure) -> (report: [String], isComplete: Bool) {
        var others = MarkedFiles(package.sources)
        wire(into: &others)
        var files = files
        others.change(&files)
        try files.write()
        let report =
            files.files.map { "created  \($0.path)" } + others.report
            + (advice.map { ["", $0] } ?? [])
        return (report, others.isComplete)
    }

    var files: NewFiles {
        var files = NewFiles(in: package.directory)
        func add(_ path: String, _ bytes: [UInt8]) {
            let text = Template(bytes).filled(with: blanks(of: path), hasToggle: !isBare)
                .text(app: app, feature: feature, [("/*@parent@*/", parent)])
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
            add(
                "Sources/\(app.type)Feature/\(name)Router.swift",
                PackageResources.DetailRouter_swift)
            add(tests, PackageResources.DetailTests_swift)
        }
        return files
    }

    /// Returns the lines that fill a template's blanks.
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
            "init": Self.list("init(", parameters, ") {", depth: 4)
                + assignments.map { "    \($0)" } + ["}"],
            "build": building,
            "leaving": isRouted
                ? [
                    "", "func didTap\(leaving)() async {",
                    "    await listener?.\(feature.slot)DidFinish()", "}",
                ] : [],
        ]
    }

    /// The router's `build` function; a routed feature gets its view and listener as parameters.
    private var building: [String] {
        let parameters =
            isRouted ? ["_ view: RemoteView<\(name)>", "listener: any \(name)Listener"] : []
        let view = isRouted ? [] : ["let view = RemoteView<\(name)>()"]
        let passed = arguments.map { "\($0.name): view.arguments.\($0.name)" }
        let interactor = interactor(passed, listener: "listener")
        let router = Self.list(
            "let router = \(name)Router(",
            ["interactor: interactor", "view: view", "listener: interactor"], ")", depth: 8)
        let body =
            view + interactor + router
            + ["await interactor.wire(router: router)", "return router"]
        return Self.list("static func build(", parameters, ") async -> \(name)Router {", depth: 4)
            + body.map { "    \($0)" } + ["}"]
    }

    private var viewBlanks: [String: [String]] {
        [
            "stored": arguments.isEmpty ? [] : ["let arguments: \(name).Arguments"],
            "shown": isEmpty
                ? ["Text(\"\(name)\")"]
                : arguments.map { argument in
                    let isOptional = argument.type.hasSuffix("?")
                    let value =
                        "arguments.\(argument.name)" + (isOptional ? ", default: \"–\"" : "")
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

    /// Whether nothing would be shown.
    private var isEmpty: Bool { isBare && arguments.isEmpty && !isRouted }

    private var leavingKey: String { leaving.prefix(1).lowercased() }

    private var testBlanks: [String: [String]] {
        let made = interactor(arguments.sampled, listener: "parent")
        let parent = isRouted ? ["let parent = Parent()"] : []
        let passed =
            arguments.isEmpty
            ? [] : ["arguments: .init(\(arguments.sampled.joined(separator: ", ")))"]
        let screen =
            Array(repeating: "\"\(name)\"", count: isEmpty ? 2 : 1)
            + arguments.map { argument in
                let value = argument.sample
                let shown = value.hasPrefix("[") ? "\\(\(value))" : value.filter { $0 != "\"" }
                return "\"\(argument.name): \(shown)\""
            } + (isBare ? [] : ["\"on\"", "\"[t] Toggle \(name)\""])
            + (isRouted ? ["\"[\(leavingKey)] \(leaving)\""] : [])
        return [
            "interactor": parent + made,
            "leaving": !isRouted
                ? []
                : [
                    "", "@Test func `it tells its parent that it may go`() async {",
                    "    let view = Recording<\(name)>()", "    let parent = Parent()",
                ] + made.map { "    \($0)" } + [
                    "    await interactor.activate()",
                    "    await interactor.didTap\(leaving)()",
                    "    #expect(parent.calls == [\"\(feature.slot)DidFinish()\"])",
                    "    await interactor.deactivate()", "}",
                ],
            "made": Self.list(
                "let screen = \(name)Screen(", ["model: model"] + passed, ")", depth: 8),
            "screen": Self.list("let expected = [", screen, "]", depth: 8)
                + ["#expect(screen.render(width: 80, height: 20).map(\\.text) == expected)"],
            "nobody": isRouted ? ["func didTap\(leaving)() async {}"] : [],
            "end": isRouted
                ? [
                    "", "private final class Parent: RecordingListener, \(name)Listener {",
                    "    let journal = Journal()",
                    "    func \(feature.slot)DidFinish() async { record() }", "}",
                ] : [],
        ]
    }

    // MARK: - Lines

    /// Returns the call that creates the interactor, with a test's values or with variables.
    private func interactor(_ arguments: [String], listener: String) -> [String] {
        let common = ["presenter: view.presenter"] + (isRouted ? ["listener: \(listener)"] : [])
        return Self.list(
            "let interactor = \(name)Interactor(", common + arguments, ")", depth: 8)
    }

    /// Returns head, parts and tail on one line, or on several if one would be too wide.
    private static func list(
        _ head: String, _ parts: [String], _ tail: String, depth: Int
    ) -> [String] {
        let line = head + parts.joined(separator: ", ") + tail
        guard line.count + depth > columnsMax else { return [line] }
        let last = parts.count - 1
        return [head] + parts.enumerated().map { "    \($1)" + ($0 < last ? "," : "") } + [tail]
    }
}
