// Client: the client's entry: parses the command line, then runs the command on the loop.
//
// Isolation  main thread: main() precedes all isolation; commands run on the @MainActor.

import ArgumentParser
import Glibc
public import NapkinElements
public import NapkinFront
import NapkinTransport

/// The client, as a library: an app author's executable registers the app's views and calls `main`.
///
/// ```swift
/// @main enum Composition {
///     static func main() {
///         Client.main(app: "counter") { CounterViews.register(in: $0) }
///     }
/// }
/// ```
///
/// The executable has every command of `napkin-client` (`--help` lists them), under its own name,
/// and the app's own commands, each an ``AppCommand``. Its name alone, on a terminal, attaches to
/// the app.
public enum Client {
    /// Runs the command that the command line names and ends the process with its status, one of
    /// sysexits.h. Call it at the start of the process: the main thread becomes the loop's thread.
    ///
    /// - Parameters:
    ///   - app: the app's id. The views registered here show the app; the front that its
    ///     manifest names is not started.
    ///   - help: what `--help` says of the app, with examples; by default, of sessions.
    ///   - commands: the app's own commands; `--help` lists them after the inherited ones. One with
    ///     the name of an inherited command replaces it; `napkin-client` still has the latter.
    ///   - registerViews: called before a session is shown. A feature without a view is shown by
    ///     its contract.
    ///   - previews: the previews that `preview` shows.
    public static func main(
        app: String,
        help: String? = nil,
        commands: [any AppCommand.Type] = [],
        views registerViews: @escaping @MainActor @Sendable (ViewRegistry) -> Void,
        previews: @escaping @MainActor @Sendable () -> [Preview] = { [] }
    ) -> Never {
        main(
            ClientSetup(
                registerViews: registerViews, previews: previews, app: app, commands: commands,
                help: help))
    }

    /// Runs napkin-client, which has no registered views.
    package static func main() -> Never { main(ClientSetup()) }

    private static func main(_ setup: ClientSetup) -> Never {
        var setup = setup
        StandardDescriptors.open(writable: false)
        let executable = CommandLine.arguments.first ?? ""
        if let name = executable.split(separator: "/").last { setup.program = String(name) }
        setup.isStartedByOwn = FrontProgram.startedFor != nil
        var words = Array(CommandLine.arguments.dropFirst())
        // The name alone, or with only the daemon's address, shows the app, or the dashboard.
        let isBare = words.first.map { ["--socket", "--host", "--no-spawn"].contains($0) } ?? true
        let isShowing = isBare && TerminalFront.isPossible
        setup.takesInherited = setup.isStartedByOwn || isShowing || FrontProgram.takesInherited
        ClientSetup.choose(setup)
        let names = MainCommand.configuration.subcommands.map(CommandPath.name)
        precondition(
            Set(names).count == names.count, "two commands of the client have the same name")
        // The write reports a reader that has gone; help would otherwise end without a status.
        signal(SIGPIPE, SIG_IGN)
        words = TypedWord.withNumbersAsArguments(CommandPath.withHostLast(words))
        if isShowing { words = ["attach"] + (setup.app.map { [$0] } ?? []) + words }
        let path = CommandPath(words)
        // A shell that asks for completions also passes the word that is still empty.
        let isAsking = words.first?.hasPrefix("---") == true
        let mistake =
            path.mistake ?? CommandPath.secondName(in: words)
            ?? (isAsking ? nil : EmptyWord.mistake(in: words))
        if let mistake { end(with: mistake, path) }
        if isAsking {
            Loop.main {
                await NameCompletion.load(for: words)
                perform(words, path)
            }
        }
        perform(words, path)
    }

    /// Continues as a command of `napkin-client`, in this program and with its views, even as a
    /// command that one of the app's own commands replaces.
    ///
    /// ```swift
    /// try Client.become(["share", "desk", "--read-only"] + web.words + daemon.words)
    /// ```
    @MainActor
    public static func become(_ words: [String]) throws -> Never {
        try FrontProgram.become(words)
    }

    private static func perform(_ words: [String], _ path: CommandPath) -> Never {
        do {
            var parsed = try MainCommand.parseAsRoot(words)
            if let command = parsed as? any ClientCommand { Loop.main { await run(command) } }
            if let command = parsed as? any AppCommand { Loop.main { await command.run() } }
            // Commands of the parser itself: help and the bare program name, which also prints it.
            try parsed.run()
            exit(0)
        } catch {
            end(with: error, path)
        }
    }

    @MainActor
    private static func run(_ command: any ClientCommand) async -> Int32 {
        do throws(ClientFailure) {
            return try await command.perform()
        } catch {
            return reported(error)
        }
    }

    static func reported(_ failure: ClientFailure) -> Int32 {
        if !failure.isReaderGone { failure.report() }
        return failure.status
    }

    /// Prints help on standard output with status 0, or an error sentence on standard error.
    private static func end(with error: any Error, _ path: CommandPath) -> Never {
        guard MainCommand.exitCode(for: error) != .success else {
            let text = ClientSetup.current.teaching(MainCommand.fullMessage(for: error))
            do throws(ClientFailure) {
                try StandardOutput.put(PrintableText(text: text))
                exit(0)
            } catch {
                exit(reported(error))
            }
        }
        end(with: MainCommand.message(for: error), path)
    }

    private static func end(with mistake: String, _ path: CommandPath) -> Never {
        ClientFailure.usage("\(mistake) (see \(path.help))").report()
        exit(ExitTable.usage)
    }
}
