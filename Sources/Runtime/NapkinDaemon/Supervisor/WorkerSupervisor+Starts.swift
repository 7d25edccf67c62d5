// WorkerSupervisor+Starts: what needs a worker, and starts it if necessary.

import NapkinCore
import NapkinHost
import NapkinProtocol

extension WorkerSupervisor {
    /// Returns the encoded schema of the app from its worker, which is started if necessary: a
    /// worker that has outlived an earlier napkind knows best what it speaks.
    func schema() async throws(Refusal) -> AnswerPiece {
        let worker = try await registeredWorker()
        return try await worker.ask(.schema(app: app.id))
    }

    /// Starts the worker of an app that has sessions without a front. If that fails, it is tried
    /// again as ever.
    func startUnasked() async {
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }

    /// Whether a worker has outlived an earlier napkind, and nobody knows which sessions it has.
    var isUnknown: Bool { nextConnection == 0 && expectsWorker }

    /// Whether there is a worker that has registered, or may yet.
    var mayRegister: Bool { pid != nil || expectsWorker }

    /// Returns when a worker that is starting, and opens sessions by itself, has told of them.
    func sessionsOpened() async {
        guard !app.sessions.isEmpty || app.isolation == .session,
            [.starting, .restarting].contains(state), !expectsWorker
        else { return }
        // The failure is logged, and shown as the app's state.
        _ = try? await registeredWorker()
    }

    /// Returns what is wrong with a registration on a connection that the worker has opened.
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

    /// The level was changed before the worker had registered.
    func tellLogLevel(_ worker: WorkerLink) {
        let query = Query.logLevel(app: app.id, level: launcher.logLevel)
        // One that cannot be told has ended, or is about to be.
        Task { _ = try? await worker.ask(query) }
    }

    var unregistered: Refusal {
        Refusal(
            .workerUnavailable,
            "a worker of \(app.id) that has outlived an earlier napkind has not registered: it is "
                + "stopped, or busy; try again, or find it with `ps` and continue or end it")
    }

    /// Nobody knows what its journal has.
    var unread: Refusal {
        Refusal(
            .workerUnavailable,
            "the stored sessions of \(id) cannot be read, so its sessions are unknown: "
                + unavailable.message)
    }

    var unavailable: Refusal {
        let death = lastDeath.isEmpty ? "it does not start" : lastDeath
        let cause = isWithdrawn ? "its manifest has gone" : death
        // Last, since it may be long where there is little room.
        return Refusal(
            .workerUnavailable,
            "the worker of \(app.id) is not available: \(cause); see "
                + "`napkin-client logs \(app.id)`, and try again (\(app.manifest.worker.path))")
    }
}
