// New: the commands that create an app's package or one of its features.
//
// Isolation  value; performing is @MainActor and blocks.

import ArgumentParser
import NapkinTransport

struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a new app, or a feature for one.",
        discussion: """
            The result builds, runs and passes its own tests. No existing file is overwritten.

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
            A contract, an interactor, a view, the worker's program, a client that has \
            the view, a manifest, tests, and a Makefile.

              napkin-client new app Counter
              cd Counter && make run
              make test
              make install && napkin-client attach counter

            The package depends on napkin by the path of the development files installed with this \
            program, or of the checkout that it was built in; --napkin names another one, or a \
            URL.

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
            "A checkout of napkin, or its URL. Default: what this program was installed with.",
            valueName: "path-or-url"), completion: .directory)
    var napkin: String?

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
              make install # for this user's napkind; CONF=debug uses what make test has built
              napkin-client new feature NAME

            All sessions share one worker: 2 MiB each, and a crash holds up all for up to half \
            a second. "isolation": "session" in \(app.id).json gives each its own: 18 MiB, and a \
            crash holds up no other.
            """)
        try StandardOutput.put(
            PrintableText(lines: files.files.map { "\(directory)/\($0.path)" })
                + PrintableText(text: next))
        return 0
    }
}

struct NewFeature: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "feature", abstract: "Writes a feature for an app and attaches it.",
        discussion: """
            In the directory of a package that `new app` has written: a contract, an interactor, a \
            router and a view unless it is headless, and a test. Besides these files, the app and \
            the parent get the lines that are printed, each before a marker: a comment such as \
            `// napkin: features`, which moves with your code. Lines whose marker is missing are \
            printed for you to add, and the exit status is then 1.

              napkin-client new feature History
              napkin-client new feature Order --push --arguments id:Int
              napkin-client new feature Note --modal --parent Order
              napkin-client new feature Menu --tab
              napkin-client new feature Page --per-front   each front has its own
              napkin-client new feature Sync --headless    runs without a front
              napkin-client new feature Log --bare         begins with an empty screen
              napkin-client new feature History --directory ~/apps/counter

            A feature that is pushed or modal, or has arguments, gets a listener: its parent's \
            router shows and removes it. Any other exists as long as its parent does.
            """)

    @Argument(help: "The feature's name, as a type: History.")
    var name: String

    @Flag
    var placement = FeaturePlacement.embed

    @Flag(help: "Without a view: it runs in the worker, and no front knows of it.")
    var headless = false

    @Flag(help: "Without the state, the event and the button that others have as a beginning.")
    var bare = false

    @Option(
        help: ArgumentHelp(
            "What the feature is told when it is attached: id:Int,name:String.",
            valueName: "name:type"))
    var arguments: String?

    @Option(
        help: ArgumentHelp(
            "The feature that gets the new one as a child. Default: the app's root.",
            valueName: "feature"))
    var parent: String?

    @Option(
        help: ArgumentHelp("The app's package. Default: this directory.", valueName: "path"),
        completion: .directory)
    var directory = "."

    func validate() throws {
        if headless, placement != .embed || arguments != nil {
            throw ValidationError(
                "--headless cannot be combined with --push, --tab, --modal, --per-front or "
                    + "--arguments: no front sees it")
        }
        if headless, bare {
            throw ValidationError("--bare cannot be combined with --headless: it has no button")
        }
        if placement == .tab || placement == .perFront, arguments != nil {
            throw ValidationError(
                "--tab and --per-front cannot be combined with --arguments: a tab exists as long "
                    + "as its parent, and a front's page as long as the front, so nothing could "
                    + "pass them; use --push, --modal or --embed")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let package = try AppPackage(at: directory)
        let scaffold = FeatureScaffold(
            feature: try ScaffoldName(name, for: .feature), isHeadless: headless, isBare: bare,
            placement: placement, arguments: try arguments.map(FeatureArgument.parse) ?? [],
            parent: try package.parent(named: parent), package: package)
        let (report, isComplete) = try scaffold.write()
        try StandardOutput.put(
            PrintableText(lines: report + ["", "Build and test it: make test"]))
        return isComplete ? 0 : ExitTable.failed
    }
}

/// The place of a new feature's view.
enum FeaturePlacement: EnumerableFlag {
    case embed
    case push
    case tab
    case modal
    case perFront

    static func help(for value: FeaturePlacement) -> ArgumentHelp? {
        switch value {
        case .embed: "In the parent's screen, which is the default."
        case .push: "On top of the parent's screen, until the parent removes it."
        case .tab: "As one of the parent's tabs."
        case .modal: "As a box over the parent's screen, until the parent removes it."
        case .perFront: "In the parent's screen, one for each front, which it alone sees."
        }
    }
}
