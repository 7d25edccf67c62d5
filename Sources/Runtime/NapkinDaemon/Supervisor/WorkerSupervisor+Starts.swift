// WorkerSupervisor+Starts: answers requests that need a worker, and starts it if necessary.

import NapkinCore
import NapkinHost
import NapkinProtocol

extension WorkerSupervisor {
    /// Returns the app's encoded schema from its worker; starts the worker if necessary. A worker
    /// that has outlived an earlier napkind knows best which schema it speaks.
    func schema() async throws(Refusal) -> AnswerPiece {
        let worker = try await registeredWorker()
        return try await worker.ask(.schema(app: app.id))
    }

    /// Starts the worker of an app that opens sessions without a front. A failure is retried as
    /// usual.
    func startUnasked() async {
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }

    /// Whether a worker has outlived an earlier napkind and its sessions are still unknown.
    var isUnknown: Bool { nextConnection == 0 && expectsWorker }

    /// Whether a worker has registered, or still may.
    var mayRegister: Bool { pid != nil || expectsWorker }

    /// Returns when a starting worker that opens sessions itself has reported them.
    func sessionsOpened() async {
        guard !app.sessions.isEmpty || app.isolation == .session,
            [.starting, .restarting].contains(state), !expectsWorker
        else { return }
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }

    /// Returns the objection to a registration on a connection that the worker has opened.
    func objection(to register: Register) -> String? {
        guard socket.isThis(register.socket) else {
            return "a register frame with a socket that is not the app's"
        }
        guard ProcessLock.isHeld(lockPath, by: register.pid) else {
            return "a register frame of a process that does not hold the app's lock"
        }
        return nil
    }

    // MARK: - What is said without a worker

    /// Sends the worker a log level that was changed before it had registered.
    func tellLogLevel(_ worker: WorkerLink) {
        let query = Query.logLevel(app: app.id, level: launcher.logLevel)
        // A worker that cannot be told has ended, or is about to.
        Task { _ = try? await worker.ask(query) }
    }

    var unregistered: Refusal {
        Refusal(
            .workerUnavailable,
            "a worker of \(app.id) that has outlived an earlier napkind has not registered: it is "
                + "stopped, or busy; try again, or find it with `ps` and continue or end it")
    }

    /// The refusal for a request about a journal whose contents are unknown.
    var unread: Refusal {
        Refusal(
            .workerUnavailable,
            "the stored sessions of \(id) cannot be read, so its sessions are unknown: "
                + unavailable.message)
    }

    var unavailable: Refusal {
        let death = lastDeath.isEmpty ? "it does not start" : lastDeath
        let cause = isWithdrawn ? "its manifest has gone" : death
        // Last, because the text may be long and room may be short.
        return Refusal(
            .workerUnavailable,
            "the worker of \(app.id) is not available: \(cause); see "
                + "`napkin-client logs \(app.id)`, and try again (\(app.manifest.worker.path))")
    }
}
