// Daemon+Apps: hosts what the manifests describe, and follows their changes.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Spec       Protocol/MANIFEST.md

import Logging
import NapkinCoding
import NapkinProtocol
import NapkinTransport

extension Daemon {
    /// Returns the directories with manifests. Those of the user and of the system belong to
    /// napkind: a daemon with another name has what it is told.
    static func appDirectories(_ command: NapkindCommand, _ name: String) -> [String] {
        let chosen = command.apps.map { path in
            var path = path.hasPrefix("/") ? path : current + path
            while path.hasSuffix("/") { path.removeLast() }
            return path
        }
        return chosen + (name == SocketDirectory.napkind ? SocketDirectory.manifests : [])
    }

    func appsChanged(_ paths: [String]) {
        for path in paths { catalog.changed(path) }
        findApps()
    }

    /// Reads the manifests, and hosts what they describe.
    func findApps() {
        let entries = catalog.entries()
        let order =
            entries.filter { supervisors[$0.name] != nil }
            + entries.filter { supervisors[$0.name] == nil }
        var owners = sessions.owners.filter { linked.contains($0.value) }
        // A session's name stays with the app that has it, as long as its manifest says so.
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
                let app = HostedApp(try entry.manifest.get(), at: entry.path)
                guard !linked.contains(app.id) else { continue }
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
        where !installed.contains(id) && !linked.contains(id) && !supervisor.isWithdrawn {
            supervisor.withdraw()
        }
        for error in broken.compactMap(\.error) where !former.contains(error) {
            logger.warning("manifest refused", metadata: ["error": "\(error)"])
        }
        noteShadowed(entries)
    }

    private func host(
        _ app: HostedApp, _ owners: inout [String: String]
    ) throws(AppManifestRefusal) {
        for session in app.sessions {
            if let owner = owners[session], owner != app.id {
                throw AppManifestRefusal(
                    "\(app.path ?? ""): 'sessions' has '\(session)', which the app '\(owner)' "
                        + "opens at start: choose another name")
            }
        }
        if let supervisor = supervisors[app.id] {
            if supervisor.app.manifest != app.manifest || supervisor.isWithdrawn
                || supervisor.app.path != app.path
            {
                supervisor.replace(by: app)
                logger.info("app changed", metadata: ["app.id": "\(app.id)"])
            }
        } else {
            do throws(StartError) {
                supervisors[app.id] = try supervisor(for: app)
            } catch {
                throw AppManifestRefusal("\(app.path ?? ""): \(error.message)")
            }
            logger.info("app found", metadata: ["app.id": "\(app.id)"])
        }
        for session in app.sessions { owners[session] = app.id }
        if let supervisor = supervisors[app.id] { startSessions(of: supervisor) }
    }

    /// Starts the worker of an app that has sessions without a front.
    func startSessions(of supervisor: WorkerSupervisor) {
        guard startsSessions, !supervisor.app.sessions.isEmpty, supervisor.state == .idle else {
            return
        }
        Task.immediate { await supervisor.startUnasked() }
    }

    private func noteShadowed(_ entries: [AppCatalog.Entry]) {
        let found = entries.map(\.name).filter { linked.contains($0) }
        guard found != shadowed else { return }
        shadowed = found
        for app in found {
            logger.notice(
                "the app is linked: its manifest does not count", metadata: ["app.id": "\(app)"])
        }
    }

    /// There is neither a worker nor a manifest of the app any more.
    func over(_ supervisor: WorkerSupervisor) {
        guard supervisors[supervisor.app.id] === supervisor else { return }
        supervisors[supervisor.app.id] = nil
        sessions.appRemoved(supervisor.app.id)
    }
}
