// Daemon+Apps: hosts the apps that manifests describe, and follows their changes.
//
// Spec       Protocol/MANIFEST.md

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension Daemon {
    /// Returns the directories with manifests: the chosen ones, then the user's and the system's.
    static func appDirectories(_ chosen: [String]) -> [String] {
        let chosen = chosen.map { path in
            var path = path.hasPrefix("/") ? path : HostOptions.currentDirectory + path
            while path.hasSuffix("/") { path.removeLast() }
            return path
        }
        return chosen + SocketDirectory.manifests
    }

    func appsChanged(_ paths: [String]) {
        for path in paths { catalog.changed(path) }
        findApps()
    }

    /// Rereads the manifests on a request for apps, if changes would otherwise go unnoticed.
    func findUnwatchedApps() {
        if !catalog.unwatched.isEmpty { findApps() }
    }

    /// Reads the manifests, and hosts their apps.
    func findApps() {
        note(unwatched: appWatch?.unwatched ?? catalog.directories)
        let entries = catalog.entries()
        let order =
            entries.filter { supervisors[$0.name] != nil }
            + entries.filter { supervisors[$0.name] == nil }
        var owners: [String: String] = [:]
        // A session's name stays with its app for as long as that app's manifest has it.
        for case .success(let manifest) in entries.map(\.manifest) {
            for session in manifest.sessions where sessions.owners[session] == manifest.id {
                owners[session] = manifest.id
            }
        }
        var installed: Set<String> = []
        let former = Set(broken.compactMap(\.error))
        broken = []
        for entry in order {
            do throws(AppManifestRefusal) {
                let app = HostedApp(manifest: try entry.manifest.get(), path: entry.path)
                try host(app, &owners)
                installed.insert(app.id)
            } catch {
                broken.append(
                    AppInfo(
                        app: entry.name, state: .broken, manifest: entry.path,
                        error: error.message.shortened(to: Limits.refusalBytesMax / 2)))
            }
        }
        sessions.owners = owners
        for (id, supervisor) in supervisors
        where !installed.contains(id) && !supervisor.isWithdrawn {
            supervisor.withdraw()
        }
        for error in broken.compactMap(\.error) where !former.contains(error) {
            logger.warning("manifest refused", metadata: ["error": "\(error)"])
        }
    }

    /// Notes the unwatched directories, and logs each once.
    private func note(unwatched directories: [String]) {
        for directory in directories where !catalog.unwatched.contains(directory) {
            logger.warning(
                "changes of manifests are seen late",
                metadata: ["directory": "\(directory)", "remedy": "\(DaemonStatus.watchRemedy)"])
        }
        catalog.unwatched = directories
    }

    private func host(
        _ app: HostedApp, _ owners: inout [String: String]
    ) throws(AppManifestRefusal) {
        for session in app.sessions {
            if let owner = owners[session], owner != app.id {
                throw AppManifestRefusal(
                    "\(app.path): 'sessions' has '\(session)', which the app '\(owner)' "
                        + "opens at start: choose another name")
            }
        }
        let known = supervisors[app.id]
        let isNews =
            known.map {
                $0.app.manifest != app.manifest || $0.app.path != app.path || $0.isWithdrawn
            } ?? true
        if isNews {
            do throws(StartError) {
                try take(app, as: known)
            } catch {
                throw AppManifestRefusal("\(app.path): \(error.message)")
            }
        }
        for session in app.sessions { owners[session] = app.id }
        // Only then: a killed session must not be reopened by a change to another app's manifest.
        if isNews, let supervisor = supervisors[app.id] { startSessions(of: supervisor) }
    }

    private func take(_ app: HostedApp, as known: AppSupervisor?) throws(StartError) {
        if let known {
            try checkSockets(of: app)
            known.replace(by: app)
            logger.info("app changed", metadata: ["app.id": "\(app.id)"])
        } else {
            supervisors[app.id] = try supervisor(for: app)
            logger.info("app found", metadata: ["app.id": "\(app.id)"])
        }
    }

    /// Removes an app that has neither a worker nor a manifest any more.
    func over(_ supervisor: AppSupervisor) {
        guard supervisors[supervisor.app.id] === supervisor else { return }
        supervisors[supervisor.app.id] = nil
        // An app whose manifest is being repaired stays stopped.
        if !broken.contains(where: { $0.app == supervisor.app.id }) {
            // A remaining mark would stop a later app of this name.
            try? unmarkStopped(supervisor.app.id)
        }
        sessions.appRemoved(supervisor.app.id)
        logger.info("app removed", metadata: ["app.id": "\(supervisor.app.id)"])
    }
}
