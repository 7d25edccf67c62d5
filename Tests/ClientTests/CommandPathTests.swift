// CommandPathTests: which command a command line means, and what is said where it means none.

import Testing

@testable import NapkinClient

struct CommandPathTests {
    @Test(
        arguments: [
            ([], []), (["ls", "--json"], ["ls"]), (["send", "tree", "x"], ["send"]),
            (["new", "app", "feature"], ["new", "app"]), (["help", "new", "app"], ["new", "app"]),
            (["--version", "frob"], []), (["relay", "x"], ["relay"]),
            (["new", "--help"], ["new"]), (["help"], []),
        ] as [([String], [String])])
    func `the words that name a command are found`(words: [String], names: [String]) {
        let path = CommandPath(words)
        #expect(path.names == names)
        #expect(path.mistake == nil)
        #expect(path.help == (["napkin-client"] + names + ["--help"]).joined(separator: " "))
    }

    @Test(
        arguments: [
            (
                ["attch", "rib-house"],
                "napkin-client has no command 'attch' (did you mean 'attach'?); it"
            ),
            (
                ["lss", "--socket", "x"],
                "napkin-client has no command 'lss' (did you mean 'ls'?); it has"
            ),
            (
                ["sessions"],
                "napkin-client has no command 'sessions' (did you mean 'ls'?); it has"
            ),
            (
                ["ledger", "sessions"],
                "napkin-client ledger has no command 'sessions' (did you mean 'ls'?); it has"
            ),
            (
                ["help", "frobnicate"],
                "napkin-client has no command 'frobnicate'; it has attach, new-session, open, "
            ),
            (
                ["new", "ap", "X"],
                "napkin-client new has no command 'ap' (did you mean 'app'?); it has app"
            ),
        ] as [([String], String)])
    func `a command that there is not is named, with what is meant`(
        words: [String], sentence: String
    ) throws {
        let mistake = try #require(CommandPath(words).mistake)
        #expect(mistake.hasPrefix(sentence), "\(mistake)")
        #expect(!mistake.contains("relay"))
    }

    @Test func `a session after the app is refused with the line that is meant`() {
        #expect(
            CommandPath.secondName(in: ["attach", "till", "lunch"])?
                .contains("`napkin-client attach till --session lunch`") == true)
        for words in [["attach", "till"], ["attach", "till", "--plain"], ["send", "a", "b"]] {
            #expect(CommandPath.secondName(in: words) == nil)
        }
    }

    @Test func `a host before the command is an option of the command`() {
        let cases: [(words: String, ordered: String)] = [
            ("--host H attach A --plain", "attach --host H A --plain"),
            ("--host=H new app A", "new app --host=H A"), ("--host H", "--host H"),
            ("attach A --host H", "attach A --host H"), ("--host H help", "--host H help"),
            ("", ""), ("--hostile H ls", "--hostile H ls"),
        ]
        for (words, ordered) in cases {
            let list = words.split(separator: " ").map(String.init)
            #expect(CommandPath.withHostLast(list).joined(separator: " ") == ordered)
        }
    }
}
