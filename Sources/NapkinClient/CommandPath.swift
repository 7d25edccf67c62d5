// CommandPath: the command that a command line means, for saying what is wrong with it.
//
// Layer      executable.
// Isolation  value.

import ArgumentParser
import NapkinProtocol

/// The words of a command line that name commands, down to the first that names none.
struct CommandPath: Equatable {
    /// The commands' names: `["new", "app"]`.
    private(set) var names: [String] = []
    /// Where a command is expected: the unknown word, and the existing commands.
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
            guard let next = inner.first(where: { Self.name(of: $0) == word }) else {
                let known = inner.filter { $0.configuration.shouldDisplay }.map(Self.name)
                stranger = Stranger(word: word, known: known)
                return
            }
            names.append(word)
            command = next
        }
    }

    /// Puts a --host that precedes the command behind it, as an option of its own.
    static func withHostLast(_ words: [String]) -> [String] {
        let first = words.first ?? ""
        let count = first == "--host" ? 2 : first.hasPrefix("--host=") ? 1 : 0
        guard count > 0, words.count > count else { return words }
        let rest = words[count...]
        let command = CommandPath(Array(rest)).names.count
        return Array(rest.prefix(command) + words[..<count] + rest.dropFirst(command))
    }

    /// Returns a command's name, as the parser has it.
    static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }

    /// A sentence that says what is wrong, if no command is meant.
    var mistake: String? {
        guard let stranger else { return nil }
        let path = (["napkin-client"] + names).joined(separator: " ")
        return "\(path) has no command '\(stranger.word)'"
            + Suggestion.hint(for: stranger.word, among: stranger.known)
            + "; it has \(stranger.known.joined(separator: ", "))"
    }

    /// The command that shows more help.
    var help: String { (["napkin-client"] + names + ["--help"]).joined(separator: " ") }
}
