// ClientSetup: a composition root's choices: its views, its app and its commands.
//
// Isolation  any thread (Mutex): asked before there is a loop.
// Invariant  written once, by `Client.main`, before a command is parsed.

import NapkinElements
import NapkinFront
import Synchronization

struct ClientSetup: Sendable {
    var registerViews: @MainActor @Sendable (ViewRegistry) -> Void = { _ in }
    /// The app's previews.
    var previews: @MainActor @Sendable () -> [Preview] = { [] }
    /// The app whose own client this is; `nil` for napkin-client.
    var app: String?
    /// The app's own commands.
    var commands: [any AppCommand.Type] = []
    /// The name of this program in help and in errors.
    var program = Self.ownName

    private static let chosen = Mutex(ClientSetup())

    static var current: ClientSetup { chosen.withLock { $0 } }

    static func choose(_ setup: ClientSetup) { chosen.withLock { $0 = setup } }

    /// The name of the project's own client, with which all texts are written.
    static let ownName = "napkin-client"

    /// Returns help with this program's names, and with examples of its own app.
    func teaching(_ text: String) -> String {
        ProgramNames((app == nil ? [] : examples) + programs).inHelp(text)
    }

    /// Returns a sentence with this program's names. A person's own words are left alone.
    func naming(_ text: String) -> String { ProgramNames(programs).inSentence(text) }

    private var programs: [(own: String, name: String)] {
        [(Self.ownName, program)]
    }

    /// The examples that show the project's own app.
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
