// Napkind: the daemon, for the program's `main`.
//
// Isolation  none of its own: it runs before the loop.

import NapkinHost

package enum Napkind {
    /// Parses the command line and runs the daemon. Exits with a code of sysexits.h.
    ///
    /// - Parameter arguments: arguments without the program's name, instead of the process's own.
    package static func main(_ arguments: [String]? = nil) -> Never {
        HostProcess.main(
            NapkindCommand.self, name: "napkind",
            arguments ?? Array(CommandLine.arguments.dropFirst()))
    }
}
