// WorkerSupervisor+Requests: the requests of fronts and tools, and the answers when no worker runs.

import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension WorkerSupervisor {
    /// The number of workers that may die in turn while a front is admitted. Chosen: as many as are
    /// restarted by default.
    private static let admissionsMax = 3

    /// The app from which the next worker is started.
    var app: HostedApp { owner.app }
    var pid: Int32? { worker?.register.pid ?? process.child?.pid }
    var isRegistered: Bool { worker != nil }
    var state: AppInfo.State { machine.state }
    /// The number of deaths that nobody asked for.
    var crashes: Int { machine.crashes }
    /// The cause of the last death, or the reason why no worker starts.
    var death: String? { machine.isWithdrawn ? nil : machine.death?.text }

    /// Admits one front, whose process is `pid`; the worker knows the ticket when this returns.
    func admit(session: String, for open: Open, pid: Int32) async throws(Refusal) -> Redirect {
        let ticket = String.randomWord()
        let admit = Admit(ticket: ticket, session: session, pid: pid)
        // A worker that dies in between is restarted, unnoticed by the front.
        for attempt in 1...Self.admissionsMax {
            let worker = try await workerForFront()
            do throws(Refusal) {
                try await worker.admit(admit)
                let death = open.epoch == nil ? nil : recentDeath
                return Redirect(
                    socket: worker.register.socket, ticket: ticket, app: app.id, session: session,
                    death: death, receipt: death == nil ? nil : receipt)
            } catch {
                // A living worker has refused, or does not answer.
                if attempt == Self.admissionsMax || worker.link.isOpen { throw error }
            }
        }
        throw unavailable
    }

    /// Returns the worker for a front, which counts toward the limit while it waits.
    private func workerForFront() async throws(Refusal) -> WorkerLink {
        waitingFronts += 1
        defer { waitingFronts -= 1 }
        return try await registeredWorker()
    }

    /// The number of fronts that are attached or on their way.
    var fronts: Int { waitingFronts + (worker?.fronts ?? 0) }

    /// The cause of the worker's death, if that was recent.
    var recentDeath: String? {
        guard machine.death?.isNews(at: .monotonic) == true else { return nil }
        return death?.shortened(to: Limits.refusalBytesMax)
    }

    /// The number of the last death's receipt.
    var receipt: UInt64? {
        guard let death else { return nil }
        // The worker's last words may have been found since the receipt was written.
        return owner.crashBook.receipts
            .last { $0.worker == "\(id)" && death.hasPrefix($0.cause) }?.number
    }

    /// Queries the running worker; returns `nil` if none runs.
    ///
    /// - Parameter patience: the time limit for the answer.
    func query(
        _ query: Query, within patience: Duration = WorkerLink.patience
    ) async throws(Refusal) -> AnswerPiece? {
        guard let worker else {
            // A living worker has sessions that would be missing from the answer.
            if expectsWorker { throw unregistered }
            return nil
        }
        return try await worker.ask(query, within: patience) { [weak self] in
            self?.silence ?? .zero
        }
    }

    /// Starts the worker if necessary; returns why there is none. A failure is logged, shown as the
    /// app's state, and retried as usual.
    @discardableResult
    func startUnasked() async -> Refusal? {
        do throws(Refusal) {
            _ = try await registeredWorker()
            return nil
        } catch {
            return error
        }
    }

    /// Returns when a starting worker that opens sessions itself has reported them.
    func sessionsOpened() async {
        guard !app.sessions.isEmpty || app.isolation == .session,
            [.starting, .restarting].contains(state), !expectsWorker
        else { return }
        await startUnasked()
    }

    // MARK: - For tools

    /// Whether a worker has outlived an earlier napkind and its sessions are still unknown.
    var isUnknown: Bool { nextConnection == 0 && expectsWorker }

    /// Whether a worker has registered, or still may.
    var mayRegister: Bool { pid != nil || expectsWorker }

    /// Whether the running program differs from the next worker's; `nil` if that is unknown.
    var isOutdated: Bool? { pid.flatMap { process.isOutdated($0, for: app.manifest) } }

    /// How long the worker's loop has been silent.
    var silence: Duration { watchdog?.silence ?? .zero }

    /// Whether the process is stopped while fronts are attached to it, which cannot know that.
    var holdsFronts: Bool {
        guard let worker, worker.attachedFronts > 0 else { return false }
        return ProcessStatus(of: worker.register.pid)?.isStopped == true
    }

    /// Kills a silent worker whose journal another machine has taken over, or may: its fronts ask
    /// where it goes on.
    func yield() {
        guard let pid, process.lives(as: pid) else { return }
        hasYielded = true
        process.kill(pid, printsTrace: false)
    }

    /// Ends the wait of fronts that the worker has not admitted yet.
    func refuseArriving(_ refusal: Refusal) { worker?.refuseAdmissions(refusal) }

    /// Returns the objection to a registration on a connection that the worker has opened.
    func objection(to register: Register) -> String? {
        guard socket.isThis(register.socket) else {
            return "a register frame with a socket that is not the app's"
        }
        guard process.lives(as: register.pid) else {
            return "a register frame of a process that does not hold the app's lock"
        }
        return nil
    }

    /// Sends the worker a log level that was changed before the worker registered.
    func tellLogLevel(_ worker: WorkerLink) {
        let query = Query.logLevel(app: id.app, level: owner.logLevel)
        // A worker that cannot be reached has ended or is about to end.
        Task { _ = try? await worker.ask(query) }
    }

    // MARK: - Without a worker

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
        let cause =
            machine.isWithdrawn
            ? "its manifest has gone"
            : hasYielded
                ? "another machine has its sessions, or may have them soon: see "
                    + "`napkin-client ls --everywhere`"
                : death ?? "it does not start"
        // Last, because the text may be long and room may be short.
        return Refusal(
            .workerUnavailable,
            "the worker of \(app.id) is not available: \(cause); see "
                + "`napkin-client logs \(app.id)`, and try again (\(app.manifest.worker.path))")
    }
}
