// Client: the client's entry: parses the command line, then runs the command on the loop.
//
// Layer      executable.
// Isolation  main() precedes all isolation; commands run on the @MainActor.

import ArgumentParser
import Glibc
public import NapkinFront
import NapkinTransport

/// The client, as a library: an app author's executable registers the app's views and calls `main`.
///
/// ```swift
/// @main enum Composition {
///     static func main() {
///         Client.main(daemon: "counterd", app: "counter") { CounterViews.register(in: $0) }
///     }
/// }
/// ```
///
/// The executable has every command of `napkin-client` (`--help` lists them), under its own name.
public enum Client {
    /// Runs the command that the command line names, and ends the process with its status, one of
    /// sysexits.h. Call it at the start of the process: it makes the main thread the loop.
    ///
    /// - Parameters:
    ///   - daemon: the program to start where none runs, beside this one or on the PATH; the name
    ///     that its composition root gives to `Napkind.main`. Its default socket is meant then.
    ///   - app: the id of an app of that daemon, for the examples that help shows. Without it they
    ///     say `APP`, or name the project's example where the daemon is the project's own.
    ///   - registerViews: called before a session is shown. A feature without a view is shown by
    ///     its contract.
    public static func main(
        daemon: String = "napkind",
        app: String? = nil,
        views registerViews: @escaping @MainActor @Sendable (ViewRegistry) -> Void
    ) -> Never {
        let executable = CommandLine.arguments.first ?? ""
        ClientSetup.choose(
            ClientSetup(
                registerViews: registerViews, daemon: daemon, app: app,
                program: executable.split(separator: "/").last.map(String.init)
                    ?? ClientSetup.ownName))
        let path = CommandPath(Array(CommandLine.arguments.dropFirst()))
        if let mistake = path.mistake { end(with: mistake, path) }
        do {
            var parsed = try MainCommand.parseAsRoot()
            if let command = parsed as? any ClientCommand { Loop.main { await run(command) } }
            // The parser's own commands: help, and the name alone, which shows it, too.
            try parsed.run()
            exit(0)
        } catch {
            end(with: error, path)
        }
    }

    @MainActor
    private static func run(_ command: any ClientCommand) async -> Int32 {
        do throws(ClientFailure) {
            let status = try await command.perform()
            try flushOutput()
            return status
        } catch {
            error.report()
            return error.status
        }
    }

    /// What was printed may still be on its way to a full disk.
    private static func flushOutput() throws(ClientFailure) {
        guard fflush(nil) != 0, errno != EPIPE else { return }
        let reason = String(cString: strerror(errno))
        throw ClientFailure(ExitTable.ioError, "cannot write to standard output: \(reason)")
    }

    /// Help goes to standard output with status 0; a mistake in one sentence to standard error.
    private static func end(with error: any Error, _ path: CommandPath) -> Never {
        guard MainCommand.exitCode(for: error) != .success else {
            print(ClientSetup.current.teaching(MainCommand.fullMessage(for: error)))
            exit(0)
        }
        end(with: MainCommand.message(for: error), path)
    }

    private static func end(with mistake: String, _ path: CommandPath) -> Never {
        ClientFailure(ExitTable.usage, "\(mistake) (see \(path.help))").report()
        exit(ExitTable.usage)
    }
}
