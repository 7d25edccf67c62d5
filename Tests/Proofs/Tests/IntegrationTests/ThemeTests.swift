// ThemeTests: the colours that a terminal gets, by its type, its user's wish and its background.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ThemeTests {
    /// What names a key in each theme, in 256 colours.
    private static let dark = "38;5;114m"
    private static let light = "38;5;89m"
    private static let question = "\u{1B}]11;?"
    private static let deviceAttributes = "\u{1B}[?64;22c"

    private let place = Workplace()

    private func attached(
        _ environment: [String: String] = [:], _ command: [String] = ["attach", "rib-house"]
    ) throws -> Terminal {
        try Terminal(
            Product.path("napkin-client"), command + ["--socket", place.socket],
            columns: 80, lines: 24,
            environment: place.environment.merging(["TERM": "xterm-256color"]) { $1 }
                .merging(environment) { $1 })
    }

    /// Returns what was drawn until the end, after `q`.
    private func left(_ terminal: Terminal) async -> String {
        terminal.type("q")
        #expect(await terminal.exit() == 0)
        return terminal.drawn
    }

    @Test(
        arguments: [
            (["attach", "rib-house"], "NAPKIN_THEME", "nonsense", ["dark, light,"]),
            (["attach"], "NAPKIN_THEME", "nonsense", ["dark, light,"]),
            (["attach", "rib-house"], "TERM", "no-such-terminal", ["TERM", "--plain"]),
        ] as [([String], String, String, [String])])
    func `a theme or a type of terminal that nobody knows is named, before a daemon is asked`(
        command: [String], variable: String, value: String, words: [String]
    ) async throws {
        let terminal = try attached([variable: value], command)
        #expect(await terminal.exit() == 64)
        let text = terminal.drawn.replacingOccurrences(of: "\r\n  ", with: " ")
            .replacingOccurrences(of: "\r", with: "")
        expectAdvice(text, from: "napkin-client", [value] + words)
    }

    @Test(arguments: ["rgb:fdfd/f6f6/e3e3\u{1B}\\", "rgb:ff/ff/ff\u{7}"])
    func `a terminal that says it is light gets the light theme, and no other before`(
        answer: String
    ) async throws {
        try await place.daemon()
        let terminal = try attached()
        // Ahead of the question: on a busy machine this process may get no time for its answer.
        terminal.type("\u{1B}]11;\(answer)\(Self.deviceAttributes)")
        try await terminal.draws(Self.question)
        try await terminal.draws("Login")
        terminal.type("l")
        try await terminal.draws("Logout")
        let drawn = await left(terminal)
        #expect(drawn.contains(Self.light))
        #expect(!drawn.contains(Self.dark))
    }

    @Test func `a terminal that answers late has its keys before, and then its theme`() async throws
    {
        try await place.daemon()
        let terminal = try attached()
        try await terminal.draws("Login")
        terminal.type("l")
        try await terminal.draws("Logout")
        #expect(!terminal.drawn.contains(Self.light))
        terminal.type("\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\\(Self.deviceAttributes)")
        try await terminal.draws(Self.light)
        #expect(await left(terminal).contains(Self.dark))
    }

    @Test(
        arguments: [
            (["TERM": "linux"], "\u{1B}[32m"), (["NAPKIN_THEME": "light"], light),
            (["NAPKIN_THEME": "high-contrast"], "48;5;16m"), (["TERM": "xterm"], "\u{1B}[36m"),
            (["NO_COLOR": "1", "NAPKIN_THEME": "dark"], nil),
        ] as [([String: String], String?)])
    func `nothing is asked where the answer is known, or nobody knows the question`(
        environment: [String: String], colour: String?
    ) async throws {
        try await place.daemon()
        let terminal = try attached(environment)
        try await terminal.draws("Login")
        let drawn = await left(terminal)
        if let colour {
            #expect(drawn.contains(colour))
        } else {
            #expect(!drawn.contains("38;5;") && !drawn.contains("48;5;"))
        }
        #expect(drawn.contains(Self.question) == (environment["TERM"] == "xterm"))
    }

    @Test func `a terminal with direct colours gets the theme's own`() async throws {
        let colour = { (kind: Int) in
            #"\E[%?%p1%{8}%<%t\#(kind / 10)%p1%d%e\#(kind):2::%p1%{65536}%/%d"#
                + ":%p1%{256}%/%{255}%&%d:%p1%{255}%&%d%;m"
        }
        let entry = """
            xterm-direct|any colour,
            \tRGB, colors#0x1000000, pairs#0x7FFF, ccc@, initc@,
            \tsetaf=\(colour(38)), setab=\(colour(48)), use=xterm-256color,

            """
        let source = place.directory + "/xterm-direct.ti"
        try entry.write(toFile: source, atomically: true, encoding: .utf8)
        let terminfo = place.directory + "/terminfo"
        let tic = try Child("/usr/bin/env", ["tic", "-x", "-o", terminfo, source])
        #expect(await tic.exit() == 0)
        try await place.daemon()
        let terminal = try attached([
            "COLORTERM": "truecolor", "TERMINFO_DIRS": terminfo + ":/lib/terminfo",
            "NAPKIN_THEME": "dark",
        ])
        try await terminal.draws("Login")
        #expect(await left(terminal).contains("38:2::135:215:135m"))
    }
}
