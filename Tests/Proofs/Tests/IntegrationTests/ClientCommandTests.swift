// ClientCommandTests: what `:` does on a session's screen besides what the session can do.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ClientCommandTests {
    private let place = Workplace()

    /// Its screen takes keys once it is drawn.
    private func showsLunch(_ terminal: Tmux) async throws {
        try await terminal.shows("the session") { screen in
            screen.contains("session lunch · connected") && screen.contains("Login")
        }
    }

    @Test func `it is renamed, its tree and a command's help are shown, and it is left`()
        async throws
    {
        try await place.daemon()
        let terminal = try await Tmux(client: "attach rib-house", of: place)
        try await terminal.shows("Login")
        try await terminal.press(":")
        try await terminal.type("rename")
        try await terminal.shows("New name of rib-house")
        try await terminal.press("C-u")
        try await terminal.type("lunch")
        try await terminal.shows("the new name") { screen in
            screen.contains("lunch") && !screen.contains("New name")
        }
        // It is still selected; the line of its former name is that of the app's next session.
        try await terminal.press("Enter")
        try await showsLunch(terminal)
        try await terminal.press(":")
        try await terminal.type("help: trace")
        try await terminal.shows("the help") { screen in
            screen.contains("Help: trace") && screen.contains("OVERVIEW")
        }
        try await terminal.press("Escape")
        try await terminal.shows("the screen") { !$0.contains("OVERVIEW") }
        try await terminal.press(":")
        try await terminal.type("tree")
        try await terminal.shows("Tree of lunch")
        try await terminal.press("a")
        try await showsLunch(terminal)
        try await terminal.press(":")
        try await terminal.type("detach")
        try await terminal.shows("ended with 0")
        #expect(try await place.sessions().map(\.name) == ["lunch"])
    }
}
