// HostedApp: what napkind knows of an app that it hosts.
//
// Layer      daemon.
// Isolation  value.

import Glibc
import NapkinCore
import NapkinProtocol

/// An app that is linked into this executable, or one that a manifest describes.
struct HostedApp: Sendable {
    enum Source: Sendable {
        case linked(any App.Type)
        /// The manifest, and the path of its file.
        case installed(AppManifest, path: String)
    }

    let source: Source
    let id: String
    /// The sessions that run also while no front is there.
    let sessions: [String]

    init(_ app: any App.Type) {
        (source, id, sessions) = (.linked(app), app.id, app.sessions.map(\.name))
    }

    init(_ manifest: AppManifest, at path: String) {
        source = .installed(manifest, path: path)
        (id, sessions) = (manifest.id, manifest.sessions)
    }

    /// What a manifest says of the worker's program; `nil` for this executable.
    var program: AppManifest.Program? { manifest?.worker }

    var manifest: AppManifest? {
        if case .installed(let manifest, _) = source { manifest } else { nil }
    }

    /// The manifest's path.
    var path: String? {
        if case .installed(_, let path) = source { path } else { nil }
    }
}

extension AppManifest.Program {
    /// Returns why the program cannot be started; `nil` if it can. Looked at when it is started: it
    /// may be installed after its manifest.
    var objection: String? {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return "its program \(path) cannot be started: \(String(cString: strerror(errno)))"
        }
        guard status.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0 else {
            return "its program \(path) is not an executable file"
        }
        return nil
    }
}
