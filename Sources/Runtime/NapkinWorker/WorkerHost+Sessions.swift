// WorkerHost+Sessions: opens, restores, renames and ends the sessions of a worker.
//
// Invariant  a stored session that cannot be restored is kept, and admits nobody.

import Glibc
import Logging
import NapkinCore
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

extension WorkerHost {
    /// Called when changes wait for room in the store, and with `nil` when they are stored.
    func roomChanged(_ shortage: StoreError?) {
        guard let shortage else {
            return logger.notice("there is room again for what has changed")
        }
        logger.error("no room for what has changed", metadata: ["reason": "\(shortage)"])
        for session in sessions.values { session.host.roomIsMissing() }
    }

    /// Ends the session, and refuses fronts that were about to join it: napkind has forgotten it.
    func kill(_ name: String) async -> Bool {
        let refusal = killing(name)
        tickets.revoke(session: name)
        report.changed()
        for link in arrivals.values where link.session == name { link.link.refuse(refusal) }
        let session = sessions.removeValue(forKey: name)
        session?.host.ledger?.close()
        (defects[name], FlightRecorder.takenBack[name]) = (nil, nil)
        // From here on, a front may open another session of this name.
        let storedID = journal?.end(name)
        await journal?.waitUntilDurable(unlessFull: true)
        if let id = storedID ?? session?.id { ids.release(id) }
        guard let session else { return storedID != nil }
        _ = await session.launch?.refusal
        await session.host.end(refusal)
        endedSessions.append(session.host)
        forgetEnded()
        return true
    }

    /// Gives the session another name, including for fronts that are about to join it.
    func rename(_ name: String, to newName: String) async throws(Refusal) -> Renaming {
        if journal?.sessions.holds(name) == true { _ = try await session(name) }
        guard !holds(newName) else {
            throw Refusal(
                .badRequest, "there is already a session '\(newName)': choose another name")
        }
        hasRenamed = true
        tickets.rename(name, to: newName)
        for link in arrivals.values { link.sessionRenamed(name, to: newName) }
        let session = sessions.removeValue(forKey: name)
        sessions[newName] = session
        if let id = session?.id { ids.renamed(id) }
        session?.host.rename(to: newName)
        await journal?.waitUntilDurable(unlessFull: true)
        return Renaming(session: newName, epoch: session?.host.epoch)
    }

    private func killing(_ name: String) -> Refusal {
        Refusal(.sessionEnded, "session '\(name)' was ended by `napkin-client kill`")
    }

    // MARK: - Opening

    /// Returns the session with that name, with its tree launched; creates it if there is none.
    func session(_ name: String) async throws(Refusal) -> SessionHost {
        while let rewind = rewinds[name] { _ = await rewind.result }
        let session = sessions[name] ?? open(name)
        if let refusal = await session.launch?.refusal { throw refusal }
        return session.host
    }

    /// Creates a session, or restores it if it is stored, and begins to launch its tree.
    @discardableResult
    func open(_ name: String) -> Session {
        let presence = StateCell<[AttachedFront]>([])
        let host = SessionHost(
            name: name, app: app.id, epoch: UInt32.random(in: 1 ... .max), features: app.features,
            deepLinks: app.deepLinks, presence: presence, eventRate: eventRate)
        host.onFrontGone = { [weak self] in self?.report.changed() }
        let isStored = journal?.sessions.holds(name) == true
        let launch = SessionLaunch()
        let session = Session(
            host: host, id: isStored ? nil : ids.take(for: name), startedAt: Loop.shared.now,
            launch: launch)
        sessions[name] = session
        Task.immediate {
            let refusal = await self.launch(host, presence)
            if sessions[host.name]?.host === host { sessions[host.name]?.launch = nil }
            launch.ended(refusal)
        }
        onChange([name])
        passivation.watch()
        self.logger.info("session launched", metadata: ["session.id": "\(name)"])
        return session
    }

    /// Launches a session's tree. Returns the reason if it cannot be restored.
    private func launch(
        _ host: SessionHost, _ presence: StateCell<[AttachedFront]>
    ) async -> Refusal? {
        let (id, launch): (String, LaunchCall)
        // If the session is leaving memory, its former tree must be gone first.
        await passivation.hasLeft(host.name)
        do throws(RestoreFailure) {
            (id, launch) = try await keep(host)
        } catch {
            return notRestored(host, error)
        }
        var logger = Logger(label: app.id)
        logger[metadataKey: "app.id"] = "\(app.id)"
        logger[metadataKey: "session.id"] = "\(id)"
        var context = SessionContext(
            name: host.name, id: id, dataDirectory: dataDirectory, cacheDirectory: cacheDirectory,
            configuration: configuration, logger: logger, presence: presence)
        context.programsDirectory = programs(of: id)
        await launch.run { await host.launch(await app.makeRoot(context)) }
        if let journal, let defect = host.ledger?.defect {
            let failure = RestoreFailure(defect, of: host.name)
            return notRestored(
                host, await rollback(in: journal).notRead(host.name, id, failure))
        }
        defects[host.name] = nil
        if let journal {
            await rollback(in: journal).hasHelped(host.name, id)
            journal.release(host.name)
        }
        host.ledger?.onDefect = { [weak self, weak host] defect in
            guard let self, let host else { return }
            _ = notRestored(host, RestoreFailure(defect, of: host.name))
        }
        return nil
    }

    /// The directory of a session's held programs.
    func programs(of id: String) -> String { "\(programsDirectory)/\(id)\(HeldFiles.suffix)" }

    /// Connects a session to its ledger, with its stored contents. Returns the session's id, and
    /// the launch that may be tried.
    private func keep(
        _ host: SessionHost
    ) async throws(RestoreFailure) -> (id: String, launch: LaunchCall) {
        guard let session = sessions[host.name], session.host === host else {
            throw RestoreFailure(reason: "it was ended meanwhile")
        }
        let id = session.id
        guard let journal, id == nil else {
            let launch = LaunchCall(of: host.name, epoch: host.epoch)
            if let receipt = launch.setAside { throw RestoreFailure(receipt: receipt, of: app.id) }
            if let journal, let id {
                host.keep(
                    in: SessionLedger(
                        journal: journal, name: host.name, id: id, epoch: host.epoch))
            }
            return (id ?? host.name, launch)
        }
        do {
            let (image, launch) = try await rollback(in: journal)
                .restorable(host.name, epoch: host.epoch)
            guard sessions[host.name]?.host === host, !isDraining else {
                throw RestoreFailure(reason: "it was ended meanwhile")
            }
            host.keep(in: SessionLedger(journal: journal, restoring: image))
            sessions[host.name]?.id = image.title.id
            return (image.title.id, launch)
        } catch {
            if let failure = error as? RestoreFailure { throw failure }
            // Damage is permanent; a disk that has failed may be readable later.
            let isDamage = error is ImageError
            let advice = isDamage ? "`napkin-client kill \(host.name)` deletes it" : nil
            throw RestoreFailure(reason: "\(error)", advice: advice, isDamage: isDamage)
        }
    }

    private func rollback(in journal: Journal) -> SessionRollback {
        SessionRollback(journal: journal, app: app.id, files: crashFiles, logger: logger)
    }

    /// Handles a failure to restore: the session stays stored, and the next front tries again.
    private func notRestored(_ host: SessionHost, _ failure: RestoreFailure) -> Refusal {
        logger.error(
            "session not restored",
            metadata: ["session.id": "\(host.name)", "reason": "\(failure.reason)"])
        let refusal = Refusal(
            .workerUnavailable,
            "session '\(host.name)' is kept and cannot be restored: \(failure)")
        // The session may have been killed and reopened meanwhile.
        if let session = sessions[host.name], session.host === host {
            sessions[host.name] = nil
            if journal?.sessions.holds(host.name) == true { defects[host.name] = failure }
            if let id = session.id, journal?.sessions.holds(host.name) != true { ids.release(id) }
            onChange([host.name])
        }
        // Immediately: nothing is recorded any more.
        host.dismissFronts(refusal)
        Task { await host.end(refusal) }
        return refusal
    }

    // MARK: - Timers and jobs

    /// Restores sessions from now on when their timers or jobs are due.
    func wakeSessionsWhenDue() {
        guard let journal else { return }
        let scheduler = journal.scheduler
        scheduler.onDue = { [weak self] name in self?.wake(name) }
        if FlightRecorder.isScheduledInputSuspect {
            scheduler.begin(after: { [returns] in await returns.turnOfSuspect(of: nil) })
        }
        Task { await scheduler.find(in: journal) }
    }

    private func wake(_ name: String) {
        Task {
            var isThere = false
            // The session may have ended meanwhile.
            if journal?.sessions.holds(name) == true {
                do throws(Refusal) {
                    _ = try await session(name)
                    isThere = true
                } catch {
                    // The log has the reason. There is no retry until a front asks for it.
                    isThere = false
                }
            }
            journal?.scheduler.woken(name, isThere: isThere)
        }
    }
}
