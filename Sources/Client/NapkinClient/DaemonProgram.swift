// DaemonProgram: finds the napkind that this client starts, and its log's path.

import Glibc
import NapkinFront
import NapkinTransport

/// The daemon's executable.
enum DaemonProgram {
    static let name = "napkind"
    /// The variable that tells an app's front where the client that starts it has found the
    /// program: the front may lie elsewhere.
    static let variable = "NAPKIN_DAEMON"

    // For this program alone, and not for those that it starts.
    private static let told: String? = {
        let path = FrontComponent.variable(variable)
        unsetenv(variable)
        return path
    }()

    /// The executable beside this one, in `PATH`, or where this program has been told; `nil` if
    /// there is none.
    static var path: String? {
        let search = FrontComponent.variable("PATH") ?? ""
        let directories =
            [OwnProgram.directory ?? "."] + search.split(separator: ":").map(String.init)
        let candidates = directories.map { "\($0)/\(name)" } + (told.map { [$0] } ?? [])
        return candidates.first { access($0, X_OK) == 0 }
    }

    /// How the program is started, without a log, or why it cannot be.
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
