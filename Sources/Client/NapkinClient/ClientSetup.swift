// ClientSetup: a composition root's choices: its views, its app and its commands.
//
// Isolation  any thread (Mutex): read before the loop runs.
// Invariant  written once, by `Client.main`, before a command is parsed.

import NapkinElements
import NapkinFront
import Synchronization

struct ClientSetup: Sendable {
    var registerViews: @MainActor @Sendable (ViewRegistry) -> Void = { _ in }
    var previews: @MainActor @Sendable () -> [Preview] = { [] }
    /// The app that this client belongs to; `nil` for napkin-client.
    var app: String?
    var commands: [any AppCommand.Type] = []
    /// The text of the client's help about the app, in place of the inherited examples.
    var help: String?
    /// Whether the words are those of napkin-client: napkin-client has started this program, or
    /// there are no words.
    var takesInherited = false
    /// The app's own commands, which replace inherited ones of the same name.
    var ownCommands: [any AppCommand.Type] { takesInherited ? [] : commands }
    var program = Self.ownName
    /// Whether a person started napkin-client, which has become this program.
    var isStartedByOwn = false
    /// The name that a person has typed.
    var typed: String { isStartedByOwn ? Self.ownName : program }

    private static let chosen = Mutex(ClientSetup())

    static var current: ClientSetup { chosen.withLock { $0 } }

    static func choose(_ setup: ClientSetup) { chosen.withLock { $0 = setup } }

    /// The name of the project's own client, which all texts in the code use.
    static let ownName = "napkin-client"

    /// Returns a help text with this program's names and with its own app's examples.
    func teaching(_ text: String) -> String {
        ProgramNames((app == nil ? [] : examples) + programs).inHelp(text)
    }

    /// Returns a sentence with this program's names. Leaves a person's own words alone.
    func naming(_ text: String) -> String { ProgramNames(programs).inSentence(text) }

    private var programs: [(own: String, name: String)] {
        // A command that the app has replaced is still one of the project's own client.
        let replaced = MainCommand.inherited.subcommands.map(CommandPath.name)
            .filter(ownCommands.map(CommandPath.name).contains)
        return replaced.map { "\(Self.ownName) \($0)" }.map { (own: $0, name: $0) }
            + [(own: Self.ownName, name: typed)]
    }

    /// Replacements for the examples that use the project's own app.
    private var examples: [(own: String, name: String)] {
        [
            ("Try the example app of the sources (`make install-examples`):", "Try it:"),
            ("waits for your login", "waits until it is open"),
            ("rib-house.logged-out", "FEATURE"), ("rib-house.pit-board", "FEATURE"),
            ("didTapLogin()", "METHOD()"), ("ribhouse://pit-board", "URL"),
            ("rib-house", app ?? "APP"),
        ]
    }
}
