// ShellTests: what zsh and fish offer to a person who presses Tab in a terminal.

import Foundation
import ProofSupport
import Testing

/// A shell in a terminal, set up as by somebody who has installed the programs.
enum Shell: String, CaseIterable {
    case zsh
    case fish

    /// As it stands below the home directory.
    private var settings: String { self == .zsh ? ".zshrc" : ".config/fish/config.fish" }

    private func text(_ share: String) -> String {
        switch self {
        case .zsh:
            """
            PS1='ready> '
            fpath=('\(share)/zsh/site-functions' $fpath)
            autoload -Uz compinit
            compinit -D -u
            """
        case .fish:
            """
            set fish_greeting
            function fish_prompt; echo 'ready> '; end
            """
        }
    }

    /// Without what the machine's own settings say.
    private var command: String { self == .zsh ? "zsh -d -i" : "fish -i" }

    /// Returns when it is ready to read.
    func start(
        _ program: String, in place: Workplace, _ share: String, _ environment: [String: String]
    ) async throws -> Tmux {
        let home = place.directory + "/home"
        let file = URL(fileURLWithPath: home + "/" + settings)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text(share).write(to: file, atomically: true, encoding: .utf8)
        let all = environment.merging([
            "HOME": home, "XDG_DATA_DIRS": share, "TERM": "tmux-256color", "LC_ALL": "C.UTF-8",
        ]) { $1 }
        let settings = all.map { "'\($0)=\($1)'" }.joined(separator: " ")
        let options = command.drop { $0 != " " }
        let terminal = try await Tmux(
            place, columns: 160, lines: 40, "env -i \(settings) \(program)\(options)")
        try await terminal.shows("a prompt") { $0.split(separator: "\n").contains("ready>") }
        return terminal
    }
}

extension CompletionTests {
    @Test(arguments: Shell.allCases)
    func `zsh and fish offer commands and the names that there are`(shell: Shell) async throws {
        let place = Workplace()
        let daemon = try await place.daemon()
        let front = try await place.front(["--session", "lunch"])
        try await front.mounts(Feature.loggedOut)
        let share = try await documents(place)
        let terminal = try await shell.start(
            try program(shell.rawValue), in: place, share, try path())

        func offers(_ line: String, _ what: [String]) async throws {
            try await terminal.press("C-u", "napkin-client \(line)", "Tab")
            try await terminal.shows("\(what) for '\(line)'") { screen in
                what.allSatisfy(screen.contains)
            }
        }
        let socket = "--socket \(place.socket)"
        try await offers(
            "tr", ["Shows the features of a session", "Shows a session's messages as they pass"])
        // The only one that fits is written where the cursor is.
        try await offers("kill \(socket) l", ["kill \(socket) lunch"])
        try await offers("attach \(socket) ri", ["attach \(socket) rib-house"])
        try await offers("detach \(socket) lunch ", ["detach \(socket) lunch 1"])
        try await offers(
            "trace \(socket) lunch --feature rib-house.pi",
            ["lunch --feature \(Feature.pitBoard)"])
        // fish leaves out what those in a list begin with.
        try await offers("send \(socket) lunch rib-house.logged-", ["logged-in", "logged-out"])
        try await offers(
            "send \(socket) lunch \(Feature.loggedOut) d", ["\(Feature.loggedOut) didTapLogin"])
        // Nobody is there any more: nothing is offered, said or started.
        daemon.signal(SIGTERM)
        _ = await daemon.exit()
        try await terminal.press("C-u", "C-l", "napkin-client kill \(socket) l", "Tab", "x")
        let screen = try await terminal.shows("what was typed") { $0.contains("\(socket) lx") }
        #expect(screen.split(separator: "\n").count == 1, "\(screen)")
    }
}
