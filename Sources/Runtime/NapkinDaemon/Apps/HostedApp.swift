// HostedApp: napkind's description of an app that it hosts.

import Glibc
import NapkinProtocol
import NapkinTransport

struct HostedApp: Sendable {
    let manifest: AppManifest
    /// The manifest's path.
    let path: String

    var id: String { manifest.id }
    /// The sessions that run even without a front.
    var sessions: [String] { manifest.sessions }
    var isolation: Isolation { manifest.isolation }
    var limits: AppLimits { manifest.limits ?? AppLimits() }

    /// How long the worker's loop may leave a ping unanswered; `nil` for no limit.
    var hang: Duration? {
        manifest.hangSeconds == 0 ? nil : .seconds(manifest.hangSeconds)
    }

    /// The limit for restarts of a worker that dies.
    var restart: RestartLimit { manifest.restart ?? RestartLimit() }
}

extension AppManifest.Program {
    /// Returns why the program cannot be started; `nil` if it can. Checked at each start, because
    /// the program may be installed after its manifest.
    var objection: String? {
        if let objection = ExecutableFile.objection(to: path) { return objection }
        guard let directory else { return nil }
        var status = stat()
        guard stat(directory, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            return "its directory \(directory) cannot be used: \(reason)"
        }
        guard status.st_mode & S_IFMT == S_IFDIR, access(directory, X_OK) == 0 else {
            return "its directory \(directory) is not a directory, or is closed to this user"
        }
        return nil
    }
}
