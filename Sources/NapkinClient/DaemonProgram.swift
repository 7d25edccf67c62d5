// DaemonProgram: which napkind this client starts, and where its log goes.
//
// Layer      executable.
// Isolation  none of its own.

import Glibc
import NapkinFront
import NapkinTransport

/// The daemon's executable.
enum DaemonProgram {
    static let name = "napkind"

    /// Returns how to start the daemon on the default socket; `nil` if there is no such program.
    static func launcher() -> DaemonLauncher? {
        let path = FrontComponent.variable("PATH") ?? ""
        let candidates = [OwnProgram.directory ?? "."] + path.split(separator: ":").map(String.init)
        let found = candidates.map { $0 + "/" + name }.first { access($0, X_OK) == 0 }
        guard let found else { return nil }
        var launcher = DaemonLauncher(executable: found, arguments: [], logPath: "/dev/null")
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
