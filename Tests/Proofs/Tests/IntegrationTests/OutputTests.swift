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

    /// Runs each command beside a session with a front, and looks at how it ends.
    private func run(
        _ commands: [String], to target: String, before: String = "",
        _ ends: (_ command: String, Child) async throws -> Void
    ) async throws {
        let place = try await Workplace().started()
        let front = try await place.front()
        for command in commands {
            try await ends(command, try start(command, to: target, before: before, in: place))
        }
        _ = front
    }

    private func start(
        _ command: String, to target: String, before: String, in place: Workplace
    ) throws -> Child {
        let program = try Product.path("napkin-client")
        let connects = !Self.locals.contains { command.hasPrefix($0) }
        let socket = connects && command != "ls --help" ? "--socket '\(place.socket)'" : ""
        let directory = command.hasPrefix("new") ? "--directory '\(place.directory)/new'" : ""
        let parts = command.components(separatedBy: " < ")
        let input = parts.count > 1 ? "< \(parts[1])" : ""
        return try Child(
            "/bin/sh",
            [
                "-c",
                "\(before) exec '\(program)' \(parts[0]) \(socket) \(directory) \(input) \(target)",
            ],
            environment: place.environment.merging(["DIRECTORY": place.directory]) { $1 })
    }

    /// As a closed one is: /dev/null in its place can be read only.
    @Test(arguments: [
        ("> /dev/full", "no space left on device"), ("3< /dev/null 1<&3", "bad file descriptor"),
    ])
    func `a command whose output cannot be written fails`(
        target: String, words: String
    ) async throws {
        try await run(Self.commands, to: target) { command, child in
            #expect(await child.exit() == 74, "\(command)")
            // Also where it has become the app's own front.
            expectAdvice(
                await child.allErrors(), from: "napkin-client", ["standard output", words])
        }
    }

    @Test
    func `a command whose reader has gone ends without a word, and napkind on a full disk fails`()
        async throws
    {
        // Nobody has the pipe open for reading when the command begins.
        let pipe = #""$DIRECTORY/pipe""#
        let before = "mkfifo \(pipe); exec 8<> \(pipe) 9> \(pipe) 8<&-; rm \(pipe);"
        let commands = ["--help", "ls", "ls --json", "tree --watch", "schema rib-house", "version"]
        try await run(commands, to: ">&9 9>&-", before: before) { command, child in
            #expect(await child.exit() == 74, "\(command)")
            #expect(await child.allErrors() == "", "\(command)")
        }
        let program = try Product.path("napkind")
        for command in ["--help", "--version", "--experimental-dump-help"] {
            let child = try Child("/bin/sh", ["-c", "exec '\(program)' \(command) > /dev/full"])
            #expect(await child.exit() == 74, "\(command)")
            expectAdvice(
                await child.allErrors(), from: "napkind",
                ["standard output", "no space left on device"])
        }
    }
}
