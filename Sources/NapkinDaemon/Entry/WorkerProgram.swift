// WorkerProgram: the entry point of a program that is an app's worker.
//
// Layer      daemon.
// Isolation  none of its own: it runs before the loop.

import Glibc
public import NapkinCore
import NapkinProtocol
import NapkinTransport

/// An app's worker as a program, which a manifest names and napkind starts.
///
/// ```swift
/// @main enum RibHouseWorker {
///     static func main() { WorkerProgram.main(RibHouse.self) }
/// }
/// ```
public enum WorkerProgram {
    /// The word with which napkind's arguments begin; those before are the manifest's.
    private static let start = "--worker"

    /// Runs the worker that napkind has asked for. Exits with a code of sysexits.h; with 64 if
    /// it was not napkind that started the program.
    ///
    /// - Parameter app: the app; a manifest has the same id.
    public static func main(_ app: any App.Type) -> Never {
        let words = Array(CommandLine.arguments.dropFirst())
        if let index = words.lastIndex(of: start), hasConnections {
            Napkind.main(apps: [app], arguments: Array(words[index...]))
        }
        let name =
            CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? app.id
        let purpose =
            "\(name) is the worker of the app '\(app.id)', which napkind starts: install the app's "
            + "manifest, then `napkin-client attach \(app.id)`"
        do throws(TransportError) {
            switch words {
            case ["--help"], ["-h"]: try StandardStream.output.write(PrintableText(line: purpose))
            case ["--version"]:
                let version = "\(name) \(app.id), napkin \(NapkinVersion.text)"
                try StandardStream.output.write(PrintableText(line: version))
            default:
                try StandardStream.error.write(PrintableText(line: purpose))
                exit(EX_USAGE)
            }
        } catch {
            exit(EX_IOERR)
        }
        exit(EX_OK)
    }

    /// Whether the two sockets are there that napkind hands to a worker.
    private static var hasConnections: Bool {
        [WorkerHost.listeningDescriptor, WorkerHost.controlDescriptor].allSatisfy { descriptor in
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }
}
