// OutputTests: a program whose output nobody can take says so, with its status.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct OutputTests {
    /// Every command that says anything, and what it needs before it.
    private static let commands = [
        "apps", "apps --json", "ls", "ls --json", "tree", "tree --json", "tree --watch",
        "tree --watch --json", "tree --inventory", "top --count 1 --interval 0.1",
        "top --count 1 --interval 0.1 --json", "trace rib-house --json", "schema rib-house",
        "schema rib-house --json", "schema rib-house --lock $DIRECTORY/lock", "ping",
        "ping --json", "version", "version --json", "attach rib-house --control",
        "attach rib-house --plain", "attach rib-house --control < /dev/null",
        "attach rib-house --plain < /dev/null", "--help", "help", "help ls", "ls --help",
        "--version", "--generate-completion-script bash", "--generate-completion-script zsh",
        "--generate-completion-script fish", "--experimental-dump-help", "new app Kettle",
        "open rib-house ribhouse://pit-board --json --timeout 0.2",
    ]

    /// Commands that connect to no daemon.
    private static let locals = ["help", "new", "--version", "--help", "--generate", "--exp"]

    /// The app's own front has the last word where it shows the app.
    private static func program(of command: String) -> String {
        command.hasPrefix("attach") && command.contains("--plain") ? "rib-house" : "napkin-client"
    }

    private func run(
        _ command: String, to target: String, before: String = "",
        _ body: (Child) async throws -> Void
    ) async throws {
        let place = Workplace()
        defer { place.cleanUp() }
        try await place.daemon()
        let front = try await place.front()
        let program = try Product.path("napkin-client")
        let connects = !Self.locals.contains { command.hasPrefix($0) }
        let socket = connects && command != "ls --help" ? "--socket '\(place.socket)'" : ""
        let directory = command.hasPrefix("new") ? "--directory '\(place.directory)/new'" : ""
        let parts = command.components(separatedBy: " < ")
        let input = parts.count > 1 ? "< \(parts[1])" : ""
        let child = try Child(
            "/bin/sh",
            [
                "-c",
                "\(before) exec '\(program)' \(parts[0]) \(socket) \(directory) \(input) \(target)",
            ],
            environment: place.environment.merging(["DIRECTORY": place.directory]) { $1 })
        try await body(child)
        _ = front
    }

    @Test(arguments: commands)
    func `a command whose output goes to a full disk fails`(command: String) async throws {
        try await run(command, to: "> /dev/full") { child in
            #expect(await child.exit() == 74)
            expectAdvice(
                await child.allErrors(), from: Self.program(of: command),
                ["standard output", "no space left on device"])
        }
    }

    /// As a closed one is: /dev/null in its place can be read only.
    @Test(arguments: commands)
    func `a command whose output cannot be written fails`(command: String) async throws {
        try await run(command, to: "3< /dev/null 1<&3") { child in
            #expect(await child.exit() == 74)
            expectAdvice(
                await child.allErrors(), from: Self.program(of: command),
                ["standard output", "bad file descriptor"])
        }
    }

    @Test(arguments: ["--help", "ls", "ls --json", "tree --watch", "schema rib-house", "version"])
    func `a command whose reader has gone ends without a word`(command: String) async throws {
        // Nobody has the pipe open for reading when the command begins.
        let pipe = #""$DIRECTORY/pipe""#
        let before = "mkfifo \(pipe); exec 8<> \(pipe) 9> \(pipe) 8<&-;"
        try await run(command, to: ">&9 9>&-", before: before) { child in
            #expect(await child.exit() == 74)
            #expect(await child.allErrors() == "")
        }
    }

    @Test(arguments: ["--help", "--version", "--experimental-dump-help"])
    func `napkind, whose output goes to a full disk, fails`(command: String) async throws {
        let program = try Product.path("napkind")
        let child = try Child("/bin/sh", ["-c", "exec '\(program)' \(command) > /dev/full"])
        #expect(await child.exit() == 74)
        expectAdvice(
            await child.allErrors(), from: "napkind",
            ["standard output", "no space left on device"])
    }
}
