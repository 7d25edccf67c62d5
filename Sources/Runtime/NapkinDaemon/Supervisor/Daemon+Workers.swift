// Daemon+Workers: gives an app's workers their sockets, locks, and sessions at start.
//
// Spec       Protocol/MANIFEST.md, section 4 (Isolation)

import Glibc
import NapkinHost
import NapkinProtocol
import NapkinTransport

extension Daemon {
    func supervisor(for app: HostedApp) throws(StartError) -> AppSupervisor {
        try AppSupervisor(app, of: self, survivors: survivors[app.id] ?? [])
    }

    /// Checks that each worker of the app can have a socket.
    func checkSockets(of app: HostedApp) throws(StartError) {
        let numbers = app.isolation == .shared ? [0] : [0, Isolation.sessionsMax]
        for number in numbers {
            _ = try server.socketPath(of: WorkerID(app: app.id, number: number))
        }
    }

    /// - Parameter isTrial: whether the worker opens no session, because only its program is tried.
    func worker(
        _ id: WorkerID, of app: AppSupervisor, isTrial: Bool = false
    ) -> WorkerSupervisor {
        let launcher = WorkerLauncher(
            place: WorkerPlace(
                socket: "\(server.socket.directory)/\(id.fileName).sock",
                daemonSocket: server.socket.text, stateDirectory: state.path,
                number: id.number),
            logLevel: app.logLevel, isLevelChanged: app.isLevelChanged,
            settings: settings[id.app] ?? [])
        return WorkerSupervisor(
            id, of: app.app, launcher: launcher, lockPath: state.workerLock(id), log: app.log,
            opens: { [weak self] in isTrial ? [] : self?.sessionsToOpen(of: id) },
            holds: { [weak app] in app?.told($0, by: id.number) },
            isOver: { [weak app] in app?.over($0) })
    }

    // MARK: - Sessions without a front

    /// Starts the workers of an app that opens sessions without a front.
    func startSessions(of app: AppSupervisor) {
        guard startsSessions, !app.isDraining, !app.isStopped, !app.app.sessions.isEmpty else {
            return
        }
        guard app.isPlural else {
            let worker = app.worker(0)
            if worker.state == .idle { Task.immediate { await worker.startUnasked() } }
            return
        }
        // Place all sessions before the first worker starts: each is told all of its sessions.
        for session in app.app.sessions where sessions.app(of: session, at: now) == nil {
            let open = Open(app: app.app.id, session: session)
            let candidates = app.candidates
            guard case .admit = sessions.opened(open, at: now, among: candidates),
                let id = sessions.worker(of: session, at: now)
            else { continue }
            let worker = app.worker(id.number)
            Task {
                await worker.startUnasked()
                sessions.openEnded(session, at: now)
                app.opened(id.number)
            }
        }
    }

    /// Returns the sessions that a starting worker opens, and drops those of its former process.
    private func sessionsToOpen(of worker: WorkerID) -> [String]? {
        let sessions = sessionsAtStart(of: worker)
        self.sessions.workerStarts(worker, opening: sessions ?? [], at: now)
        return sessions
    }

    /// Returns the sessions that a worker opens at start; `nil` if it is the app's only worker,
    /// which opens the sessions named by the app.
    func sessionsAtStart(of worker: WorkerID) -> [String]? {
        guard let app = supervisors[worker.app], app.isPlural else { return nil }
        let named = app.app.sessions
        if case .workers(let count) = app.app.isolation, worker.number <= count,
            !app.candidates.isEmpty
        {
            // Killed sessions come back, as they do with the only worker of an app.
            for session in named where sessions.app(of: session, at: now) == nil {
                let open = Open(app: worker.app, session: session)
                _ = sessions.opened(open, at: now, among: [worker.number])
                sessions.openEnded(session, at: now)
            }
        }
        let own = named.filter { sessions.worker(of: $0, at: now) == worker }
        guard app.app.isolation == .session, worker.number > 0 else { return own }
        return own + sessions.held(by: worker).filter { !own.contains($0) }.sorted()
    }
}
