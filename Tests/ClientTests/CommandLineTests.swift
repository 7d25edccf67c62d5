// CommandLineTests: command lines that are refused before a daemon is asked, and what is said.

import ArgumentParser
import Testing

@testable import NapkinClient

struct CommandLineTests {
    private static let proxy = "web a --unix /tmp/x --origin"

    @Test(
        arguments: [
            ("attach --session lunch", "--session needs the app before it: attach APP"),
            ("attach a --plain --control", "--plain and --control cannot be combined"),
            ("attach a --mirror 1 --take-over", "--mirror and --take-over cannot be combined"),
            ("attach --mirror 1", "--mirror needs the app: attach APP --mirror FRONT"),
            ("web --session lunch", "--session needs the app before it: web APP"),
            ("web a --port 65536", "--port takes 0 to 65535"),
            ("web a --address 0.0.0.0", "ssh -L"),
            ("web a --unix /tmp/x", "--origin https://HOST"),
            ("web a --origin https://a", "--unix PATH"),
            ("\(proxy) http://a", "--origin takes https://HOST"),
            ("\(proxy) https://a --port 1", "--port does not go with --unix"),
            ("share a", "--read-only"),
            ("share a --read-only --address 0.0.0.0", "--unix PATH"),
            ("open a b://c --timeout=0", "--timeout takes seconds, more than 0"),
            ("open a b://c --timeout=-1", "--timeout takes seconds, more than 0"),
            ("open a b://c --timeout=1e12", "at most a year"),
            ("open a b://c --timeout=soon", "'soon' is invalid"),
            ("tree a --interval 1", "--interval needs --watch"),
            ("tree a --watch --interval 0", "--interval takes seconds, 0.01 to 3600"),
            ("top --interval 0", "--interval takes seconds, 0.1 to 3600"),
            ("top --count 0", "--count takes a number of at least 1"),
            ("send a b c --app d", "add --create"),
            ("schema a --json --check b", "--json, --check and --lock cannot be combined"),
            ("schema a --accept-breaking", "--accept-breaking needs --lock"),
            ("preview a --width 3", "--width takes 20 to 1000"),
            ("preview a --height 1", "--height takes 5 to 1000"),
            ("preview a --host ssh://desk", "without --host"),
            ("relay --host ssh://desk", "relay is itself the other end of --host"),
            ("new feature A --headless --push", "--headless cannot be combined with --push"),
            ("new feature A --tab --arguments a:Int", "a tab exists as long as its parent"),
        ] as [(String, String)])
    func `what cannot be meant is refused as a mistake of usage, in words`(
        line: String, words: String
    ) throws {
        let error = #expect(throws: (any Error).self) {
            try MainCommand.parseAsRoot(line.split(separator: " ").map(String.init))
        }
        let mistake = try #require(error)
        #expect(MainCommand.exitCode(for: mistake).rawValue == ExitTable.usage)
        let said = MainCommand.message(for: mistake)
        #expect(said.contains(words), "\(line): \(said)")
    }
}
