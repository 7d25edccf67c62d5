// StateDirectory: where a user's napkind keeps its locks.
//
// Layer      daemon.
// Isolation  value.

import Glibc
import NapkinTransport

/// A private directory.
struct StateDirectory: Sendable {
    private let directories: [SocketDirectory]

    /// Uses the directory named on the command line, otherwise the default of the XDG
    /// specification; a daemon with another name than napkind has a subdirectory there.
    init(_ chosen: String?, of daemon: String = SocketDirectory.napkind) throws(StartError) {
        if let chosen {
            directories = [Self.private(chosen)]
            return
        }
        do throws(TransportError) {
            let root = try SocketDirectory.stateDefault()
            let isOwn = daemon == SocketDirectory.napkind
            directories = [root] + (isOwn ? [] : [Self.private("\(root.path)/\(daemon)")])
        } catch {
            throw StartError(error)
        }
    }

    private static func `private`(_ path: String) -> SocketDirectory {
        SocketDirectory(path: path, policy: .state, option: "--state-dir DIR")
    }

    var path: String { directories[directories.count - 1].path }

    /// Creates what is missing with mode 0700, and checks that it is ours and private.
    func ensure() throws(StartError) {
        do throws(TransportError) {
            for directory in directories { try directory.ensure() }
        } catch {
            throw StartError(error)
        }
    }

    /// The lock that keeps napkind single for this directory.
    var daemonLock: String { path + "/napkind.lock" }

    /// The lock that an app's worker holds for as long as it lives.
    func workerLock(_ app: String) -> String { path + "/\(app).lock" }
}
