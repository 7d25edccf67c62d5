// ManualPage: a program's page, generated from its own description.
//
// Spec       man-pages(7)

/// Writes a page for man(1): one section for each command.
struct ManualPage {
    /// What a description does not contain: the files, and the exit statuses.
    struct Surroundings {
        var section: String
        var version: String
        /// The date of its last change, in the form 2026-11-21.
        var date: String
        var exits: [(status: Int32, meaning: String)] = []
        var signals: [(name: String, meaning: String)] = []
        var variables: [(name: String, meaning: String)] = []
        var files: [(path: String, meaning: String)] = []
        var others: [String] = []
    }

    private let tool: ToolDescription.Command
    private let around: Surroundings

    init(_ tool: ToolDescription, _ around: Surroundings) {
        self.tool = tool.command
        self.around = around
    }

    var text: String {
        var lines = [
            ".\\\" Made by `\(ClientSetup.current.program) generate-manual` from the program's own "
                + "description.",
            ".TH \(Roff.quoted(tool.commandName.uppercased())) \(around.section) \(around.date) "
                + Roff.quoted("napkin \(around.version)"),
            ".SH NAME",
            "\(Roff.escaped(tool.commandName)) \\- \(Roff.escaped(Self.summary(tool)))",
            ".SH SYNOPSIS",
        ]
        lines += synopsis
        lines.append(".SH DESCRIPTION")
        lines += Roff.paragraphs(tool.discussion ?? "")
        lines += options(of: tool, heading: ".SH OPTIONS", except: [])
        if !commands.isEmpty { lines.append(".SH COMMANDS") }
        for command in commands { lines += self.lines(of: command) }
        if let common = commands.first.map(commonOptions), !common.isEmpty {
            lines += [".SH OPTIONS OF THE COMMANDS THAT ASK A DAEMON"] + common.flatMap(entry)
        }
        lines += tables
        return lines.joined(separator: "\n") + "\n"
    }

    /// A command with subcommands is replaced by these, with their full names.
    private var commands: [ToolDescription.Command] { Self.commands(of: tool) }

    private static func commands(
        of tool: ToolDescription.Command
    ) -> [ToolDescription.Command] {
        (tool.subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
            .flatMap { command in
                let own = commands(of: command).map { inner in
                    var inner = inner
                    inner.commandName = "\(command.commandName) \(inner.commandName)"
                    return inner
                }
                return own.isEmpty ? [command] : own
            }
    }

    /// Returns the abstract as a phrase.
    private static func summary(_ command: ToolDescription.Command) -> String {
        let text = command.abstract ?? ""
        let phrase = text.prefix(1).lowercased() + text.dropFirst()
        return phrase.hasSuffix(".") ? String(phrase.dropLast()) : phrase
    }

    private var synopsis: [String] {
        guard !commands.isEmpty else { return usage(of: tool, path: [tool.commandName], []) }
        return commands.enumerated().flatMap { index, command in
            (index > 0 ? [".br"] : [])
                + usage(
                    of: command, path: [tool.commandName, command.commandName],
                    Set(commonOptions(of: command).compactMap(\.names?.first?.name)))
        }
    }

    private func usage(
        of command: ToolDescription.Command, path: [String], _ hidden: Set<String>
    ) -> [String] {
        let arguments = (command.arguments ?? []).filter { argument in
            argument.shouldDisplay && argument.names?.first.map { hidden.contains($0.name) } != true
        }
        let words = arguments.map { argument -> String in
            let dots = argument.isRepeating ? "..." : ""
            let value = "\\fI\(Roff.escaped(argument.valueName ?? "value"))\\fR"
            let text =
                switch argument.kind {
                case .positional: value + dots
                case .flag: "\\fB\(Roff.escaped(argument.names?.first?.text ?? ""))\\fR"
                case .option:
                    "\\fB\(Roff.escaped(argument.names?.first?.text ?? ""))\\fR \(value)\(dots)"
                }
            return argument.isOptional ? "[\(text)]" : text
        }
        let name = path.map { "\\fB\(Roff.escaped($0))\\fR" }.joined(separator: " ")
        return [([name] + words).joined(separator: " ")]
    }

    private func lines(of command: ToolDescription.Command) -> [String] {
        let common = commonOptions(of: command)
        return [".SS " + Roff.quoted("\(tool.commandName) \(command.commandName)")]
            + Roff.filled(command.abstract ?? "") + [".PP"]
            + Roff.paragraphs(command.discussion ?? "")
            + options(of: command, heading: nil, except: common)
    }

    /// The options that most commands have, described once.
    private func commonOptions(
        of command: ToolDescription.Command
    ) -> [ToolDescription.Argument] {
        guard commands.count > 1 else { return [] }
        return (command.arguments ?? []).filter { argument in
            argument.kind != .positional
                && commands.count { ($0.arguments ?? []).contains(argument) } * 2 > commands.count
        }
    }

    private func options(
        of command: ToolDescription.Command, heading: String?,
        except common: [ToolDescription.Argument]
    ) -> [String] {
        let shown = (command.arguments ?? []).filter { $0.shouldDisplay && !common.contains($0) }
        guard !shown.isEmpty else { return [] }
        return (heading.map { [$0] } ?? []) + shown.flatMap(entry)
    }

    private func entry(_ argument: ToolDescription.Argument) -> [String] {
        let value = "\\fI\(Roff.escaped(argument.valueName ?? "value"))\\fR"
        let names = (argument.names ?? []).map { "\\fB\(Roff.escaped($0.text))\\fR" }
            .joined(separator: ", ")
        let heading =
            switch argument.kind {
            case .positional: value
            case .flag: names
            case .option: "\(names) \(value)"
            }
        let parts = [argument.abstract, argument.discussion].compactMap(\.self)
            .filter { !$0.isEmpty }
        return [".TP", heading] + Roff.filled(parts.joined(separator: " "))
    }

    private var tables: [String] {
        func table(_ heading: String, _ rows: [(String, String)]) -> [String] {
            guard !rows.isEmpty else { return [] }
            return [".SH \(heading)"]
                + rows.flatMap { [".TP", "\\fB\(Roff.escaped($0))\\fR"] + Roff.filled($1) }
        }
        return table("EXIT STATUS", around.exits.map { ("\($0.status)", $0.meaning) })
            + table("SIGNALS", around.signals.map { ($0.name, $0.meaning) })
            + table("ENVIRONMENT", around.variables.map { ($0.name, $0.meaning) })
            + table("FILES", around.files.map { ($0.path, $0.meaning) })
            + (around.others.isEmpty
                ? [] : [".SH SEE ALSO", around.others.map(Roff.escaped).joined(separator: ", ")])
    }
}
