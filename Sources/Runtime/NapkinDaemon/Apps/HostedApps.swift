// HostedApps: the apps that manifests describe, with their supervisors and the index of sessions.
//
// Ownership  owned by the daemon for the life of its process; owns a supervisor for each app, which
//            refers back until the app is removed.
// Spec       Protocol/MANIFEST.md

import Glibc
import Logging
import NapkinCoding
import NapkinHost
import NapkinProtocol
import NapkinTransport

/// Finds apps, follows the changes of their manifests, and finds the owners of sessions.
@MainActor
final class HostedApps {
    let server: RequestServer
    let marks: AppMarks
    /// The other machines that share the database of durable sessions; `nil` for files.
    let cluster: ClusterMember?
    private(set) var supervisors: [String: AppSupervisor] = [:]
    var sessions = SessionRegistry()
    /// The manifests that cannot be used, with the reasons.
    private(set) var broken: [AppInfo] = []
    /// Whether apps' own sessions may start: not before the workers of an earlier napkind are
    /// known.
    private(set) var startsSessions = false
    private var catalog: AppCatalog
    private var watch: AppDirectoryWatch?
    /// The words of `--set`, by app.
    private let settings: [String: [String]]
    /// The workers of an earlier napkind that were alive when this one began, by app.
    private let survivors: [String: [Int]]

    /// - Parameter directories: the directories of manifests.
    init(_ options: HostOptions, directories: [String]) throws(StartError) {
        catalog = AppCatalog(directories)
        settings = try options.settings(by: catalog.entries().map(\.name))
        server = try RequestServer(options)
        survivors = server.state.livingWorkers()
        cluster = ClusterMember(server)
        marks = AppMarks(
            directory: server.socket.directory, logLevel: options.logLevelName)
    }

    /// Returns the directories with manifests: the chosen ones, then the user's and the system's.
    static func directories(_ chosen: [String]) -> [String] {
        let chosen = chosen.map { path in
            var path = path.hasPrefix("/") ? path : HostOptions.currentDirectory + path
            while path.hasSuffix("/") { path.removeLast() }
            return path
        }
        return chosen + SocketDirectory.manifests
    }

    var state: StateDirectory { server.state }
    var now: UInt64 { Loop.shared.now }
    /// The supervisors, in the order of their apps' ids.
    var ordered: [AppSupervisor] { supervisors.sorted { $0.key < $1.key }.map(\.value) }
    /// The directories whose changes are noticed late.
    var unwatched: [String] { catalog.unwatched }

    func settings(of app: String) -> [String] { settings[app] ?? [] }

    func options(of worker: WorkerID) -> WorkerOptions {
        WorkerOptions(
            socket: "\(server.socket.directory)/\(worker.fileName).sock",
            daemonSocket: server.socket.text, stateDirectory: state.path,
            ledger: server.options.ledgerBackend, machine: cluster?.name, number: worker.number)
    }

    // MARK: - Finding

    func supervisor(of app: String) throws(Refusal) -> AppSupervisor {
        if let supervisor = supervisors[app] { return supervisor }
        if let error = broken.first(where: { $0.app == app })?.error {
            throw Refusal(.unknownApp, "the app '\(app)' has a manifest that is refused: \(error)")
        }
        throw sessions.unknown(app: app, among: ordered.map(\.app.id), at: now)
    }

    /// Whether a worker of the session is here, or may be.
    func runs(_ session: String) -> Bool {
        guard let id = sessions.worker(of: session, at: now) else { return false }
        return supervisors[id.app]?.workers[id.number]?.mayRegister == true
    }

    /// Returns the worker of a session, which need not run.
    func owner(of session: String) async throws(Refusal) -> WorkerSupervisor {
        if !sessions.exists(session) {
            for app in supervisors.values { await app.readJournals() }
        }
        if let worker = sessions.worker(of: session, at: now) {
            await supervisors[worker.app]?.workers[worker.number]?.sessionsOpened()
        } else if let app = sessions.owner(of: session, at: now).flatMap({ supervisors[$0] }) {
            for worker in app.workers.values { await worker.sessionsOpened() }
        }
        guard let worker = sessions.worker(of: session, at: now),
            let app = supervisors[worker.app]
        else { throw sessions.unknown(session) }
        return app.worker(worker.number)
    }

    /// Returns the worker of a session, and starts it for one that is only stored.
    func awakenedOwner(of session: String) async throws(Refusal) -> WorkerSupervisor {
        let worker = try await owner(of: session)
        if sessions.isStored(session), !worker.isRegistered, !worker.expectsWorker {
            _ = try await worker.registeredWorker()
        }
        return worker
    }

    // MARK: - Manifests

    func follow() {
        watch = AppDirectoryWatch(catalog.directories) { [weak self] in self?.changed($0) }
        findApps()
    }

    func stopFollowing() { watch = nil }

    /// Starts the workers of apps that open sessions without a front.
    func startWorkers() {
        startsSessions = true
        for app in ordered {
            app.retireUnused()
            app.startSessions()
            Task.immediate { await app.readJournals() }
        }
    }

    private func changed(_ paths: [String]) {
        for path in paths { catalog.changed(path) }
        findApps()
    }

    /// Rereads the manifests on a request for apps, if changes would otherwise go unnoticed.
    func findUnwatchedApps() {
        if !catalog.unwatched.isEmpty { findApps() }
    }

    /// Reads the manifests, and hosts their apps.
    func findApps() {
        note(unwatched: watch?.unwatched ?? catalog.directories)
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
            do throws(StartError) {
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
            server.logger.warning("manifest refused", metadata: ["error": "\(error)"])
        }
    }

    /// Notes the unwatched directories, and logs each once.
    private func note(unwatched directories: [String]) {
        for directory in directories where !catalog.unwatched.contains(directory) {
            server.logger.warning(
                "changes of manifests are seen late",
                metadata: ["directory": "\(directory)", "remedy": "\(DaemonStatus.watchRemedy)"])
        }
        catalog.unwatched = directories
    }

    private func host(_ app: HostedApp, _ owners: inout [String: String]) throws(StartError) {
        for session in app.sessions {
            if let owner = owners[session], owner != app.id {
                throw StartError(
                    EX_CONFIG,
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
                throw StartError(error.exitCode, "\(app.path): \(error.message)")
            }
        }
        for session in app.sessions { owners[session] = app.id }
        // Only then: a killed session must not be reopened by a change to another app's manifest.
        if isNews { supervisors[app.id]?.startSessions() }
    }

    private func take(_ app: HostedApp, as known: AppSupervisor?) throws(StartError) {
        // Each worker of the app must be able to have a socket.
        for number in app.isolation == .shared ? [0] : [0, Isolation.sessionsMax] {
            _ = try server.socketPath(of: WorkerID(app: app.id, number: number))
        }
        if let known {
            known.replace(by: app)
            server.logger.info("app changed", metadata: ["app.id": "\(app.id)"])
        } else {
            supervisors[app.id] = AppSupervisor(
                app, in: self, survivors: survivors[app.id] ?? [])
            server.logger.info("app found", metadata: ["app.id": "\(app.id)"])
        }
    }

    /// Removes an app that has neither a worker nor a manifest any more.
    func remove(_ supervisor: AppSupervisor) {
        guard supervisors[supervisor.app.id] === supervisor else { return }
        supervisors[supervisor.app.id] = nil
        // An app whose manifest is being repaired stays stopped.
        if !broken.contains(where: { $0.app == supervisor.app.id }) {
            // A remaining mark would stop a later app of this name.
            try? marks.unmarkStopped(supervisor.app.id)
        }
        sessions.appRemoved(supervisor.app.id)
        server.logger.info("app removed", metadata: ["app.id": "\(supervisor.app.id)"])
    }
}
