// WordTests: words that people try: sessions by their names alone, and completions.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct WordTests {
    private let place = Workplace()

    @Test func `a session is opened and attached by its name alone, and completions are printed`()
        async throws
    {
        try await place.daemon()
        let new = try await place.run(["new-session", "rib-house", "lunch"])
        #expect(new.status == 0 && new.lines == ["session lunch: `napkin-client attach lunch`"])
        #expect(try await place.sessions().map(\.name) == ["lunch"])
        #expect(try await place.sessions().first?.fronts.isEmpty == true)
        for name in ["lunch", "rib-house"] {
            let front = ControlFront(try place.client(["attach", name, "--control"]))
            let welcome = try await front.reads { $0.type == "welcome" }
            #expect(welcome.object["app"] as? String == "rib-house")
            #expect(welcome.object["session"] as? String == name)
        }
        try await place.fails(
            ["new-session", "rib-house", "lunch"], 73, saying: ["'lunch'", "attach lunch"])
        try await place.fails(["new-session", "rib-hose"], 66, saying: ["mean 'rib-house'?"])
        try await place.fails(
            ["attach", "brunch", "--control"], 66, saying: ["hosts no app 'brunch'"])
        #expect(try await place.sessions().map(\.name) == ["lunch", "rib-house"])
        // It is also for its app's own front.
        #expect(try await place.run(["new-session", "cart", "dinner"]).status == 0)
        let terminal = try await Tmux(client: "attach dinner", of: place)
        try await terminal.shows("dinner")
        _ = try await place.sessions { $0.contains { $0.name == "dinner" && $0.fronts.count == 1 } }
        for shell in ["bash", "zsh", "fish"] { try await prints(shell) }
    }

    /// A shell's completions are printed, also by the shell's path.
    private func prints(_ shell: String) async throws {
        let client = try Product.path("napkin-client")
        let usual = try Child(client, ["--generate-completion-script", shell])
        let script = await usual.allLines()
        #expect(script.count > 100)
        #expect(await (try Child(client, ["completion", shell])).allLines() == script)
        let own = try Child(client, ["completion"], environment: ["SHELL": "/usr/bin/\(shell)"])
        #expect(await own.allLines() == script)
        let none = try Child(client, ["completion", "tcsh"])
        #expect(await none.exit() == 64)
        expectAdvice(await none.allErrors(), from: "napkin-client", ["'tcsh'", "bash, fish, zsh"])
    }
}
