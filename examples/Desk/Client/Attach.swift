// Attach: `desk attach web`, `desk share web` and `desk screen web`: a run's terminal, in this one,
// in others' browsers, or as text.

import DeskContract
import Glibc
import NapkinClient

/// The run whose page is to be open at first in the program that this one becomes.
enum OpenedRun {
    private static let variable = "DESK_OPEN"

    static func choose(_ run: String, _ daemon: DaemonOptions) async throws {
        let id = try await daemon.desk { try await $0.number(of: run) }
        setenv(variable, "\(id)", 1)
    }

    /// Returns it, to this program alone.
    static func take() -> Int? {
        defer { unsetenv(variable) }
        return getenv(variable).flatMap { Int(String(cString: $0)) }
    }
}

struct Attach: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Opens a run's terminal in this one; Ctrl-\\ leaves it, then q quits.",
        discussion: """
            All keys are the run's until Ctrl-\\. Its terminal gets the size of the window in \
            which somebody types. Of a run that has ended, this is its last screen.
            """)

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "A number or a name.")
    var run: String

    func perform() async throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else {
            throw ValidationError(
                "attach needs a terminal: `desk screen \(run)` and `desk log \(run) --follow` "
                    + "need none")
        }
        try await OpenedRun.choose(run, daemon)
        try Client.become(["attach", "desk"] + daemon.words)
    }
}

struct Share: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Prints an address at which a run opens in a browser, until Ctrl-C.",
        discussion: """
            With --read-only it is good for everybody who has it, and only to look: nobody types \
            into the run or changes another one. Without, it is good once, for one browser, which \
            may do what this shell may. Without a run, the list opens.

              desk share web --read-only
              desk share web --read-only --unix ~/.napkin/share.sock \\
                  --origin https://desk.example.org

            Without --unix and --origin the address is one of this machine.
            """)

    @Flag(help: "To look only, for everybody with the address.")
    var readOnly = false

    @OptionGroup var web: WebOptions

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "A number or a name.")
    var run: String?

    func perform() async throws {
        if let run { try await OpenedRun.choose(run, daemon) }
        // Whoever opens the address is somebody else.
        unsetenv("NAPKIN_NAME")
        let command = readOnly ? ["share", "desk", "--read-only"] : ["web", "desk", "--no-open"]
        try Client.become(command + web.words + daemon.words)
    }
}

struct TypeCommand: AppCommand {
    static let configuration = CommandConfiguration(
        commandName: "type", abstract: "Types a line into a run, as if in its terminal.",
        discussion: """
              desk type web rs
              desk type --raw web $'\\x03'            Ctrl-C
            """)

    @Flag(help: "The text as it is, without Enter.")
    var raw = false

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "A number or a name.")
    var run: String

    @Argument(help: "Words of the line.")
    var words: [String]

    func perform() async throws {
        let text = words.joined(separator: " ") + (raw ? "" : "\n")
        try await daemon.desk { [run] in try await $0.type(text, into: run) }
    }
}

struct Screen: AppCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes the screen of a run's terminal as text, now or as it was at the end.")

    @OptionGroup var daemon: DaemonOptions

    @Argument(help: "A number or a name.")
    var run: String

    func perform() async throws {
        let screen = try await daemon.desk(waits: true) { [run] in try await $0.screen(of: run) }
        let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
        for line in lines.reversed().drop(while: \.isEmpty).reversed() { say(String(line)) }
    }
}
