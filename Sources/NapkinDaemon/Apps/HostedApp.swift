// HostedApp: what napkind knows of an app that it hosts.

import Glibc
import NapkinProtocol
import NapkinTransport

/// An app that is hosted in this process, which is then an app's own program without napkind.
package struct LinkedApp: Sendable {
    package typealias Host =
        @MainActor @Sendable (
            _ place: WorkerPlace, _ settings: [String], _ listening: Int32, _ control: Int32
        ) throws(StartError) -> Task<Int32, Never>

    var id: String
    /// The sessions that run also while no front is there.
    var sessions: [String]
    /// Starts a worker, which takes the two descriptors; the task's value is its exit status.
    var host: Host

    package init(id: String, sessions: [String], host: @escaping Host) {
        (self.id, self.sessions, self.host) = (id, sessions, host)
    }
}

/// An app that is linked into this executable, or one that a manifest describes.
struct HostedApp: Sendable {
    enum Source: Sendable {
        case linked(LinkedApp)
        /// The manifest, and the path of its file.
        case installed(AppManifest, path: String)
    }

    let source: Source
    let id: String
    /// The sessions that run also while no front is there.
    let sessions: [String]

    init(_ app: LinkedApp) {
        (source, id, sessions) = (.linked(app), app.id, app.sessions)
    }

    init(_ manifest: AppManifest, at path: String) {
        source = .installed(manifest, path: path)
        (id, sessions) = (manifest.id, manifest.sessions)
    }

    /// How long the worker's loop may leave a ping unanswered; `nil` for as long as it likes.
    var hang: Duration? {
        let seconds = manifest?.hangSeconds ?? AppManifest.hangSecondsDefault
        return seconds == 0 ? nil : .seconds(seconds)
    }

    /// How often a worker that dies is started again.
    var restart: RestartLimit { manifest?.restart ?? RestartLimit() }

    var manifest: AppManifest? {
        if case .installed(let manifest, _) = source { manifest } else { nil }
    }

    var isolation: Isolation { manifest?.isolation ?? .shared }

    /// The manifest's path.
    var path: String? {
        if case .installed(_, let path) = source { path } else { nil }
    }
}

extension AppManifest.Program {
    /// Returns why the program cannot be started; `nil` if it can. Looked at when it is started: it
    /// may be installed after its manifest.
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
