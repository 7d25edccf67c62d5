// WorkerProgram: the entry point of a program that is the worker of an app.
//
// Isolation  none of its own: it runs before the loop.

import Glibc
public import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// An app's worker as a program, which a manifest names and napkind starts.
///
/// ```swift
/// @main enum RibHouseWorker {
///     static func main() { WorkerProgram.main(RibHouse.self) }
/// }
/// ```
///
/// With `--in-process` the program needs no napkind and does its work itself: for a debugger, and
/// wherever everything should run in one process.
public enum WorkerProgram {
    /// The word at which napkind's arguments begin; earlier words come from the manifest.
    private static let start = "--worker"

    /// Runs the worker that napkind has asked for. Exits with a code of sysexits.h.
    ///
    /// - Parameter apps: the app; a manifest has the same id. A program of several apps has a
    ///   manifest for each.
    public static func main(_ apps: any App.Type...) -> Never {
        WorkerCommand.apps = apps
        let words = CommandLine.arguments
        let arguments = Array(words.dropFirst())
        let index = arguments.lastIndex(of: start) ?? 0
        HostProcess.main(
            WorkerCommand.self,
            name: words.first?.split(separator: "/").last.map(String.init) ?? "worker",
            Array(arguments[index...]))
    }
}
