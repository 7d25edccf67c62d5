// Program: the client's entry: parses the command line, then runs the command on the loop.
//
// Layer      executable.
// Isolation  main() precedes all isolation; commands run on the @MainActor.

import ArgumentParser
import Glibc
import NapkinTransport

@main
enum Program {
    static func main() {
        do {
            var parsed = try NapkinClient.parseAsRoot()
            if let command = parsed as? any ClientCommand { Loop.main { await run(command) } }
            // The parser's own commands: help, and the name alone, which shows it, too.
            try parsed.run()
            exit(0)
        } catch {
            end(with: error)
        }
    }

    @MainActor
    private static func run(_ command: any ClientCommand) async -> Int32 {
        do throws(ClientFailure) {
            return try await command.perform()
        } catch {
            error.report()
            return error.status
        }
    }

    /// Help goes to standard output with status 0; a mistake in one sentence to standard error.
    private static func end(with error: any Error) -> Never {
        guard NapkinClient.exitCode(for: error) != .success else {
            NapkinClient.exit(withError: error)
        }
        let message = NapkinClient.message(for: error)
        ClientFailure(ExitTable.usage, "\(message) (see napkin-client --help)").report()
        exit(ExitTable.usage)
    }
}
