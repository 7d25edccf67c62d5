// DaemonProgram: finds the napkind that this client starts and its log's path.

import Glibc
import NapkinFront
import NapkinTransport

enum DaemonProgram {
    static let name = "napkind"
    /// The variable that tells an app's front where the client that starts it has found napkind,
    /// since the front may be in another directory.
    static let variable = "NAPKIN_DAEMON"

    // The variable is meant for this program alone, so its children do not inherit it.
    private static let inherited = FrontProgram.taken(variable)

    /// The executable beside this one, in `PATH`, or at the path in `variable`; `nil` if there is
    /// none.
    static var path: String? {
        let search = FrontComponent.variable("PATH") ?? ""
        let directories =
            [OwnProgram.directory ?? "."] + search.split(separator: ":").map(String.init)
        let candidates = directories.map { "\($0)/\(name)" } + (inherited.map { [$0] } ?? [])
        return candidates.first { access($0, X_OK) == 0 }
    }

    /// How to start the program without a log, or why it cannot be started.
    static var launcher: DaemonLauncher {
        let path = path
        var launcher = DaemonLauncher(
            executable: path ?? name, arguments: [], logPath: "/dev/null")
        if path == nil {
            launcher.obstacle = FrontError(
                .noDaemon,
                "there is no \(name) to start beside this program or in PATH: "
                    + "install napkin, or add the directory of \(name) to PATH")
        }
        return launcher
    }

    /// Returns how to start the daemon on the default socket, or why it cannot be started.
    static func launcherWithLog() -> DaemonLauncher {
        var launcher = launcher
        guard launcher.obstacle == nil else { return launcher }
        do throws(TransportError) {
            let directory = try SocketDirectory.stateDefault()
            try directory.ensure()
            launcher.logPath = "\(directory.path)/\(name).log"
        } catch {
            let isClosed = ["EACCES", "EPERM"].contains(error.code)
            launcher.obstacle = FrontError(
                isClosed ? .notPermitted : .spawnFailed,
                "\(name) cannot be started: \(error.subject): \(error.message)")
        }
        return launcher
    }
}
