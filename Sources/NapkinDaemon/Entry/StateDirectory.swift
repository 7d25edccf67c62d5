// StateDirectory: where a user's napkind keeps its locks.
//
// Layer      daemon.
// Isolation  value.

import Glibc
import NapkinTransport

/// A private directory.
struct StateDirectory: Sendable {
    let path: String

    /// The directory named on the command line, else the default of the XDG specification; a
    /// daemon that is not called napkind has one of its own in that.
    init(_ chosen: String?, of daemon: String = SocketDirectory.napkind) {
        if let chosen {
            path = chosen
            return
        }
        let own = daemon == SocketDirectory.napkind ? "" : "/\(daemon)"
        if let state = Self.environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            path = state + "/napkin" + own
        } else {
            path =
                (Self.environment("HOME") ?? "/tmp/napkin-\(getuid())")
                + "/.local/state/napkin" + own
        }
    }

    /// Creates what is missing, 0700, and checks that it is ours and private.
    func ensure() throws(StartError) {
        do throws(TransportError) {
            try SocketDirectory(path: path, policy: .chosen, option: "--state-dir DIR").ensure()
        } catch {
            throw StartError(error)
        }
    }

    /// The lock that keeps napkind single for this directory.
    var daemonLock: String { path + "/napkind.lock" }

    /// The lock that an app's worker holds for as long as it lives.
    func workerLock(_ app: String) -> String { path + "/\(app).lock" }

    private static func environment(_ name: String) -> String? {
        guard let value = getenv(name), value.pointee != 0 else { return nil }
        return String(cString: value)
    }
}
