// RunCommand: `desk run --name web -- npm start`.

import DeskContract
import FoundationEssentials
import Glibc
import NapkinClient

struct RunCommand: AppCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Runs a command, and prints the number of its run.",
        discussion: """
            The command gets this directory and this environment, and a terminal of this size, \
            but not this input: `desk type` writes to it. It goes on when this shell, this \
            terminal or the daemon ends.

              desk run -- make -j4
              desk run 'make && make install'          a line for the shell
              desk run --wait -- make test             ends with its status
              desk run --queue night --at 22:30 -- ./backup
              desk run --retry 5 --backoff 10s..5m -- ./sync
              desk run --worktree fix -- agent         in ../app-fix, on the branch fix
            """)

    @Option(help: "A name, which other commands take in place of its number.")
    var name: String?

    @Option(help: "A queue: one of its runs at a time, or as many as `desk queue` says.")
    var queue: String?

    @Option(help: "A group, whose name stands for all of its runs.")
    var group: String?

    @Option(help: ArgumentHelp("Runs that must succeed first: 3,4.", valueName: "runs"))
    var after: String?

    @Option(name: .customLong("in"), help: ArgumentHelp("Its directory.", valueName: "directory"))
    var directory: String?

    @Option(
        help: ArgumentHelp(
            "A git worktree of its own, on this branch, beside the repository.",
            valueName: "branch"))
    var worktree: String?

    @Option(help: ArgumentHelp("When it starts: 22:30, 'mon 7:00', 10m.", valueName: "time"))
    var at: String?

    @Option(
        help: ArgumentHelp(
            "How often it starts: 15m, 22:30, 'weekdays 07:00'.", valueName: "times"))
    var every: String?

    @Option(
        help: ArgumentHelp(
            "What becomes of times at which nobody could start it: run (each), skip, or once.",
            valueName: "policy"), transform: Self.policy)
    var missed: Order.Missed?

    @Option(help: ArgumentHelp("How often it is tried again after a failure.", valueName: "count"))
    var retry = 0

    @Option(help: ArgumentHelp("The wait between attempts, doubled each time.", valueName: "span"))
    var backoff = "1s..5m"

    @Flag(help: "Pipes instead of a terminal.")
    var pipe = false

    @Flag(help: "Wait for its end, and exit with its status.")
    var wait = false

    @OptionGroup var daemon: DaemonOptions

    @Argument(parsing: .captureForPassthrough, help: "Words, or a line for the shell.")
    var command: [String]

    func perform() async throws {
        var order = Order(command: line, name: name, queue: queue, group: group)
        order.after = try (after ?? "").split(separator: ",").map { text in
            guard let id = Int(text) else {
                throw ValidationError("--after takes numbers of runs, such as 3,4")
            }
            return id
        }
        let here = FileManager.default.currentDirectoryPath
        let place = directory.map { $0.hasPrefix("/") ? $0 : "\(here)/\($0)" } ?? here
        order.directory = place
        if let worktree {
            order.directory = try await Worktree(branch: worktree, directory: place).path()
        }
        (order.at, order.every, order.missed) = (at, every, missed)
        (order.retries, order.backoff, order.hasPipes) = (retry, backoff, pipe)
        if let size = Self.size { (order.rows, order.columns) = size }
        var environment = ProcessInfo.processInfo.environment
        for name in ["_", "OLDPWD", "PWD", "SHLVL", "DESK_RUN"] { environment[name] = nil }
        let id = try await daemon.desk { [order, environment] desk in
            try await desk.run(order, environment: environment)
        }
        say("\(id)")
        guard wait else { return }
        let end = try await daemon.desk(waits: true) { try await $0.end(of: "\(id)") }
        if end.exitStatus != 0 { throw ExitCode(end.exitStatus) }
    }

    func validate() throws {
        // To the parser this is a word of the command, as all that follows is.
        if ["-h", "--help"].contains(command.first) { throw CleanExit.helpRequest(self) }
        if let word = command.first, word != "--", word.hasPrefix("-") {
            throw ValidationError(
                "run has no option '\(word)'; a command that begins so comes after `--`")
        }
    }

    private static func policy(_ text: String) throws -> Order.Missed {
        guard let policy = Order.Missed(rawValue: text) else {
            throw ValidationError("--missed takes run, skip or once")
        }
        return policy
    }

    /// The lines and columns of standard output; `nil` if it is no terminal.
    private static var size: (rows: Int, columns: Int)? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else {
            return nil
        }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// The command as the shell reads it.
    private var line: String {
        let words = command.first == "--" ? Array(command.dropFirst()) : command
        guard words.count > 1 else { return words.joined() }
        return words.map { word in
            let isPlain =
                !word.isEmpty
                && word.allSatisfy { $0.isLetter || $0.isNumber || "-_./=+:,@%".contains($0) }
            return isPlain ? word : "'" + word.replacing("'", with: #"'\''"#) + "'"
        }.joined(separator: " ")
    }
}
