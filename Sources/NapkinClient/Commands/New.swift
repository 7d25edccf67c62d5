// New: the commands that write an app's package, or a feature of one.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor, and blocks.

import ArgumentParser
import NapkinTransport

struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a new app, or a feature of one.",
        discussion: """
            What is written builds, runs and passes its own tests. Nothing that is there is \
            overwritten.

              napkin-client new app Counter
              napkin-client new feature History
              napkin-client new feature Sync --headless
            """,
        subcommands: [NewApp.self, NewFeature.self])
}

struct NewApp: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "app", abstract: "Writes the package of a new app.",
        discussion: """
            A contract, an interactor, a terminal view, a daemon that hosts the app, a client \
            that has its view, tests, and a Makefile.

              napkin-client new app Counter
              cd Counter && make run
              make test

            The package depends on napkin by the path of the checkout that this program was \
            built in; --napkin names another one, or a URL.

              napkin-client new app Counter --napkin ../napkin
              napkin-client new app Counter --directory ~/apps/counter
            """)

    @Argument(help: "The app's name, as a type: Counter, RibHouse.")
    var name: String

    @Option(
        help: ArgumentHelp("Where to write. Default: ./NAME.", valueName: "path"),
        completion: .directory)
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "A checkout of napkin, or its URL. Default: the checkout of this program.",
            valueName: "path-or-url"), completion: .directory)
    var napkin: String?

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let app = try ScaffoldName(name, for: .app)
        let source = try NapkinSource(named: napkin)
        let directory = directory ?? app.type
        let files = AppScaffold.files(app, in: directory, napkin: source)
        try files.write()
        let next = ClientSetup.current.teaching(
            """

            What the app does is in Sources/\(app.type)Feature/\(app.type)Interactor.swift. Now:

              cd \(directory)
              make run     # the first build takes some minutes
              make test
              napkin-client new feature NAME
            """)
        try StandardOutput.put(
            PrintableText(lines: files.files.map { "\(directory)/\($0.path)" })
                + PrintableText(text: next))
        return 0
    }
}

struct NewFeature: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "feature", abstract: "Writes a feature for an app, and attaches it.",
        discussion: """
            In the directory of a package that `new app` has made: a contract, an interactor, a \
            router, a builder, a view unless it is headless, and a test. Beside these files only \
            the app's composition roots change, each by the lines that are printed: the app's \
            list of features and its root, and the list of views. Where a composition root is \
            not as `new app` has written it, it is left alone, and you are told which lines to add.

              napkin-client new feature History
              napkin-client new feature Sync --headless    runs with nobody looking
              napkin-client new feature History --directory ~/apps/counter
            """)

    @Argument(help: "The feature's name, as a type: History.")
    var name: String

    @Flag(help: "Without a view: it runs in the daemon, and no front is told of it.")
    var headless = false

    @Option(
        help: ArgumentHelp("The app's package. Default: this directory.", valueName: "path"),
        completion: .directory)
    var directory = "."

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let feature = try ScaffoldName(name, for: .feature)
        let package = try AppPackage(at: directory)
        let scaffold = FeatureScaffold(feature: feature, isHeadless: headless, package: package)
        for ending in ReservedNames.endings[.feature] ?? []
        where package.declares(feature.type + ending) {
            throw ClientFailure(
                ExitTable.cannotCreate,
                "the app \(package.app.type) has a type called \(feature.type)\(ending) already, "
                    + "and nothing was changed: choose another name")
        }
        let edit = try CompositionEdit(scaffold.insertions, in: package.directory)
        try scaffold.files.write()
        try edit.write()
        try StandardOutput.put(
            PrintableText(
                lines: scaffold.files.files.map { "made     \($0.path)" } + edit.report
                    + ["", "Build and test it: make test"]))
        return 0
    }
}
