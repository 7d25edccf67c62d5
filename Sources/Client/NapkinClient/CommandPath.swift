// CommandPath: the command that a command line names, for messages about its mistakes.

import ArgumentParser
import NapkinProtocol

/// The leading words of a command line that name commands, up to the first that does not.
struct CommandPath: Equatable {
    /// The commands' names: `["new", "app"]`.
    private(set) var names: [String] = []
    /// The unknown word in place of a command, with the commands that exist there.
    private(set) var stranger: Stranger?

    struct Stranger: Equatable {
        var word: String
        var known: [String]
    }

    init(_ arguments: [String], of root: any ParsableCommand.Type = MainCommand.self) {
        var command = root
        for word in arguments where word != "help" || !names.isEmpty {
            let inner = command.configuration.subcommands
            guard !inner.isEmpty, !word.hasPrefix("-") else { return }
            guard let next = inner.first(where: { Self.names(of: $0).contains(word) }) else {
                let known = inner.filter { $0.configuration.shouldDisplay }.map(Self.name)
                stranger = Stranger(word: word, known: known)
                return
            }
            names.append(word)
            command = next
        }
    }

    /// Returns what is wrong if a session's name follows an app's, as `new-session` allows.
    static func secondName(in words: [String]) -> String? {
        guard words.count > 2, words[0] == "attach",
            !words[1...2].contains(where: { $0.hasPrefix("-") })
        else { return nil }
        return "attach takes one name: `napkin-client attach \(words[1]) --session \(words[2])` "
            + "attaches to that session of the app"
    }

    /// Moves a leading `--host` behind the command, as one of its options.
    static func withHostLast(_ words: [String]) -> [String] {
        let first = words.first ?? ""
        let count = first == "--host" ? 2 : first.hasPrefix("--host=") ? 1 : 0
        guard count > 0, words.count > count else { return words }
        let rest = words[count...]
        let command = CommandPath(Array(rest)).names.count
        return Array(rest.prefix(command) + words[..<count] + rest.dropFirst(command))
    }

    /// Returns a command's name as the parser spells it.
    static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    private static func names(of command: any ParsableCommand.Type) -> [String] {
        [name(of: command)] + command.configuration.aliases
    }

    private static let otherNames = [
        "dashboard": "attach", "fronts": "ls", "kill-session": "kill", "list": "ls",
        "list-sessions": "ls", "log": "logs", "ps": "status", "rename-session": "rename",
        "run": "attach", "sessions": "ls", "shell": "attach",
    ]

    /// A sentence that says what is wrong, if the line names no command.
    var mistake: String? {
        guard let stranger else { return nil }
        let path = (["napkin-client"] + names).joined(separator: " ")
        var hint = Suggestion.hint(for: stranger.word, among: stranger.known)
        if let other = Self.otherNames[stranger.word], stranger.known.contains(other) {
            hint = " (did you mean '\(other)'?)"
        }
        return "\(path) has no command '\(stranger.word)'" + hint
            + "; it has \(stranger.known.joined(separator: ", "))"
    }

    var help: String { (["napkin-client"] + names + ["--help"]).joined(separator: " ") }
}
