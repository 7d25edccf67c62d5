// Tmux: a program in a terminal of tmux, whose screen is read as text.

import Foundation
import ProofSupport
import Testing

/// One pane, in a tmux of its own. What it shows is awaited by the output that tmux tells of.
actor Tmux {
    /// Seconds that a screen may take. Chosen: for a machine that is busy.
    private static let patience = 60
    private static let alarm = "too late"

    private let control: Child
    private let socket: String
    private let command: String
    /// Lines of the control client that have been read.
    private var next = 0

    /// Starts `command`, a line for the shell, in a terminal of this size.
    init(_ place: Workplace, columns: Int, lines: Int, _ command: String) async throws {
        socket = place.directory + "/t.sock"
        self.command = Self.announced(command)
        // Without the user's settings; the status line would take a row.
        let server = try Child(
            "/usr/bin/env",
            ["tmux", "-S", socket, "-f", "/dev/null", "start-server", ";"]
                + ["set", "-g", "status", "off", ";", "set", "-g", "history-limit", "0", ";"]
                + ["set", "-g", "default-terminal", "tmux-256color", ";"]
                + ["new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", self.command],
            environment: place.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 })
        let status = await server.exit()
        guard status == 0 else { throw Failure("tmux: \(await server.allErrors())") }
        control = try Child(
            "/usr/bin/env", ["tmux", "-S", socket, "-C", "attach-session", "-f", "ignore-size"],
            environment: ["LC_ALL": "C.UTF-8"])
        // tmux 3.3 answers commands before the client is attached, and tells of no output until it
        // is: what is drawn in between would never be awaited.
        let (attached, _) = try await control.line(from: 0) { $0.hasPrefix("%session-changed") }
        next = attached + 1
    }

    /// Starts napkin-client in a terminal, with these words and the workplace's socket.
    init(
        client words: String, of place: Workplace, columns: Int = 80, lines: Int = 24,
        before: String = "", then rest: String = ""
    ) async throws {
        let client = try Product.path("napkin-client")
        try await self.init(
            place, columns: columns, lines: lines,
            "\(before)'\(client)' \(words) --socket '\(place.socket)'\(rest)")
    }

    /// The line that the shell runs: it stays when the command has ended, and says how.
    private static func announced(_ command: String) -> String {
        "\(command); echo \"ended with $?\"; exec cat"
    }

    // MARK: - Doing

    /// Presses keys by their names in tmux: `a`, `Enter`, `C-c`, `BTab`.
    func press(_ keys: String...) async throws {
        for key in keys { _ = try await run("send-keys '\(key)'") }
    }

    /// Types a line, and ends it.
    func type(_ line: String) async throws {
        let quoted = line.replacing("'", with: "'\\''")
        _ = try await run("send-keys -l '\(quoted)'")
        try await press("Enter")
    }

    func resize(columns: Int, lines: Int) async throws {
        _ = try await run("resize-window -x \(columns) -y \(lines)")
    }

    /// Starts the command again in the same terminal.
    func startAgain(with other: String? = nil) async throws {
        let line = other.map(Self.announced) ?? command
        let quoted = line.replacing("\"", with: "\\\"").replacing("$", with: "\\$")
        _ = try await run("respawn-pane -k \"\(quoted)\"")
    }

    // MARK: - Seeing

    /// Whether the screen is the second one, which programs draw on.
    func isOnAlternateScreen() async throws -> Bool {
        try await run("display-message -p '#{alternate_on}'") == ["1"]
    }

    /// The screen, without the spaces at the ends of its lines.
    func screen(withColours: Bool = false) async throws -> String {
        try await run("capture-pane -p" + (withColours ? " -e" : "")).map { line in
            String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }

    /// Returns the first screen that fits; throws, with the last one, when none does in time.
    @discardableResult
    func shows(
        _ what: String, withColours: Bool = false, where fits: (String) -> Bool
    ) async throws -> String {
        // What is said when the time is over comes through the same lines as everything else.
        let clock = try Child("/bin/sleep", ["\(Self.patience)"])
        Task { [control] in
            guard await clock.exit() == 0 else { return }
            try control.write("display-message -p '\(Self.alarm)'")
        }
        defer { clock.signal(SIGTERM) }
        while true {
            let screen = try await screen(withColours: withColours)
            if fits(screen) { return screen }
            let (index, line) = try await control.line(from: next) {
                $0.hasPrefix("%output") || $0 == Self.alarm
            }
            next = index + 1
            guard line != Self.alarm else {
                let last = try await self.screen(withColours: withColours)
                let told = last == screen ? "" : "tmux told of no output since:\n\(screen)\nand "
                throw Failure("the screen did not show \(what): \(told)it has:\n\(last)\n")
            }
        }
    }

    func shows(_ text: String) async throws {
        try await shows("'\(text)'") { $0.contains(text) }
    }

    /// Returns when a program has written this, as tmux's control mode spells it.
    func hears(_ text: String) async throws {
        _ = try await control.line(from: 0) { $0.hasPrefix("%output") && $0.contains(text) }
    }

    /// Returns when nothing has been drawn for a while: for writing down what is drawn, and not
    /// for tests.
    func rests() async throws {
        var last = ""
        while true {
            _ = await (try Child("/bin/sleep", ["0.7"])).exit()
            let screen = try await screen()
            if screen == last { return }
            last = screen
        }
    }

    /// Runs a command of tmux; returns the lines of its answer.
    private func run(_ command: String) async throws -> [String] {
        try control.write(command)
        // The answers of commands that came from us end in 1, and come in order.
        let (begin, head) = try await control.line(from: next) {
            $0.hasPrefix("%begin") && $0.hasSuffix(" 1")
        }
        let number = head.dropFirst("%begin".count)
        let (end, tail) = try await control.line(from: begin) {
            $0 == "%end" + number || $0 == "%error" + number
        }
        next = end + 1
        let lines = Array(control.lines[(begin + 1)..<end])
        guard lines != [Self.alarm] else { throw Failure("tmux answers too late: \(command)") }
        guard tail.hasPrefix("%end") else { throw Failure("tmux: \(command): \(lines)") }
        return lines
    }
}
