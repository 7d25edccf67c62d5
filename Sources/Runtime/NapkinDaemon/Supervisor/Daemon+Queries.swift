// Daemon+Queries: answers tools' queries, most of which napkind passes on to a worker.
//
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol

extension Daemon {
    /// Returns the encoded answer to a tool's query, or the first piece of it.
    func answer(_ query: Query) async throws(Refusal) -> AnswerPiece {
        if let refusal = query.refusal { throw refusal }
        await sessionsKnown()
        switch query {
        case .apps:
            findUnwatchedApps()
            return try answers.firstPiece(of: LongAnswer(try Payload(answer: appInfos)))
        case .status:
            return AnswerPiece(
                bytes: try Payload(answer: server.status(unwatched: catalog.unwatched)).bytes)
        case .logLevel(nil, let word):
            return AnswerPiece(bytes: try Payload(answer: try LogLevel.change(to: word)).bytes)
        case .logLevel(let app?, let word):
            let former = try await supervisor(of: app).changeLogLevel(to: word)
            return AnswerPiece(bytes: try Payload(answer: former).bytes)
        case .ledger(let app, let session, let request):
            return try await ledger(app, session, request, query)
        case .more(_, _, let cursor) where cursor >= Self.firstCursor:
            return try answers.piece(at: cursor)
        case .more(nil, nil, let cursor): return try answers.piece(at: cursor)
        case .sessions(let app): return try await listing(of: app, query)
        case .tree(let app, let session):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.listingPatience)
            if answer == nil, let session {
                throw sessions.isStored(session) ? notRunning(session) : sessions.unknown(session)
            }
            return try orElse(answer, [SessionTree]())
        case .kill(let session, let force):
            if force == true, let worker = killer(of: session) {
                return try await kill(session, byForceOf: worker)
            }
            let worker = try await owner(of: session)
            try await awake(session, in: worker)
            guard force == true else { return try await kill(session, ofAnswering: worker) }
            return try await kill(session, byForceOf: worker)
        case .control(let app, let action, let force):
            let outcome = try await control(app, action, force: force == true)
            return AnswerPiece(bytes: try Payload(answer: outcome).bytes)
        case .detach(let session, _):
            let answer = try await owner(of: session).query(query)
            return try orElse(answer, 0)
        case .rename(let session, let name):
            return try await rename(session, to: name, query)
        case .schema(let app):
            return try await supervisor(of: app).schema()
        case .watch(let app, let session, _, _, _):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.watchPatience)
            return try orElse(answer, TreeLook(digest: 0, trees: []))
        case .top(let app, let session):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.watchPatience)
            return try orElse(answer, Figures(nanoseconds: 0, crossings: [], omitted: 0))
        case .trace(let session, _, _, _):
            let answer = try await owner(of: session).query(query)
            if let answer { return answer }
            throw notRunning(session)
        case .more(let app, let session, _):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.listingPatience)
            if let answer { return answer }
            throw Refusal(.workerUnavailable, "the worker that was answering has ended; ask again")
        }
    }

    /// The first cursor of napkind's own answers, which must differ from the cursors of workers.
    static let firstCursor: UInt32 = 1 << 31

    private func notRunning(_ session: String) -> Refusal {
        Refusal(
            .workerUnavailable,
            "the worker of session '\(session)' is not running: attach to it, then try again")
    }

    /// Returns a worker's sessions; for an app with several workers, the stored sessions that are
    /// in no worker's memory.
    private func listing(of subject: String?, _ query: Query) async throws(Refusal) -> AnswerPiece {
        guard let subject else { throw .nameless }
        let id = WorkerID(subject)
        let app = try supervisor(of: id?.app ?? subject)
        await app.readJournals()
        if id == nil, app.isPlural { return try answer(app.storedSessions(of: nil)) }
        let number = id?.number ?? 0
        await app.end(of: number)?.value
        let worker = try await inspected(subject, nil)
        do throws(Refusal) {
            let answer = try await worker?.query(query, within: Self.listingPatience)
            if let answer { return answer }
        } catch {
            // The worker may have been found to be surplus meanwhile.
            guard let end = app.end(of: number) else {
                let known = app.storedSessions(of: number, silence: error.message)
                if known.isEmpty { throw error }
                return try answer(known)
            }
            await end.value
        }
        return try answer(app.storedSessions(of: number))
    }

    private func answer(_ sessions: [SessionInfo]) throws(Refusal) -> AnswerPiece {
        try answers.firstPiece(of: LongAnswer(try Payload(answer: sessions)))
    }

    /// Starts the worker of a session that is only stored.
    func awake(_ session: String, in worker: WorkerSupervisor) async throws(Refusal) {
        guard sessions.isStored(session), !worker.isRegistered, !worker.expectsWorker else {
            return
        }
        _ = try await worker.registeredWorker()
    }

    func kill(
        _ session: String, of worker: WorkerSupervisor, within patience: Duration
    ) async throws(Refusal) -> AnswerPiece {
        _ = sessions.killed(session, at: now)
        worker.openRequests += 1
        kills[session, default: []].append(worker.id)
        defer {
            worker.openRequests -= 1
            kills[session]?.removeLast()
            if kills[session]?.isEmpty == true { kills[session] = nil }
            supervisors[worker.id.app]?.retireIfUnused(worker.id.number)
        }
        do throws(Refusal) {
            let answer = try await worker.query(.kill(session: session), within: patience)
            sessions.killAnswered(session, by: worker.id, at: now)
            return try orElse(answer, false)
        } catch {
            if worker.isRegistered { sessions.killFailed(session, by: worker.id) }
            throw error
        }
    }

    /// Returns the worker that was told to end the session and has not answered yet.
    private func killer(of session: String) -> WorkerSupervisor? {
        guard let id = kills[session]?.last else { return nil }
        return supervisors[id.app]?.workers[id.number]
    }

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

    /// Returns the supervisor of the worker that answers a query about its inner state. Waits for a
    /// worker that opens sessions at start and is just starting. Returns `nil` if it has ended.
    ///
    /// - Parameter subject: an app, or one of its workers.
    private func inspected(
        _ subject: String?, _ session: String?
    ) async throws(Refusal) -> WorkerSupervisor? {
        if let session { return try await owner(of: session) }
        if let subject {
            let id = WorkerID(subject)
            let app = try supervisor(of: id?.app ?? subject)
            let worker = if let id { app.workers[id.number] } else { try app.inspected() }
            await worker?.sessionsOpened()
            return worker
        }
        throw .nameless
    }

    private func rename(
        _ session: String, to name: String, _ query: Query
    ) async throws(Refusal) -> AnswerPiece {
        let supervisor = try await owner(of: session)
        try await awake(session, in: supervisor)
        switch sessions.renameRequested(session, to: name, at: now) {
        case .tell: break
        case .refuseUnknown: throw sessions.unknown(session)
        case .refuseTaken(let owner):
            throw .renaming(to: name, of: owner)
        }
        do throws(Refusal) {
            guard let answer = try await supervisor.query(query),
                let renaming = answer.bytes.withUnsafeBytes({ $0.decoded(Renaming.self) })
            else { throw notRunning(session) }
            sessions.renameAnswered(renaming)
            return answer
        } catch {
            sessions.renameFailed(session, to: name)
            throw error
        }
    }

    private var appInfos: [AppInfo] {
        let hosted = order.compactMap { supervisors[$0] }.map { supervisor in
            let app = supervisor.app
            let workers = supervisor.infos
            let isPlural = supervisor.isPlural
            let only = isPlural ? nil : workers.first
            let isGone = supervisor.isWithdrawn && !broken.contains { $0.app == app.id }
            var info = AppInfo(
                app: app.id, state: supervisor.state, pid: only?.pid,
                sessions: workers.reduce(0) { $0 + $1.sessions }, crashes: supervisor.crashes,
                title: app.manifest.title, version: app.manifest.version,
                manifest: isGone ? nil : app.path,
                front: app.manifest.front.map { [$0.path] + $0.arguments },
                error: supervisor.isWithdrawn ? withdrawal(of: app.id) : nil,
                log: supervisor.logPath, death: supervisor.death,
                workers: isPlural ? workers : nil, seconds: only?.seconds, bytes: only?.bytes,
                isOutdated: supervisor.isOutdated ? true : nil, durability: supervisor.durability,
                napkin: supervisor.otherNapkin)
            let lost = sessions.lost(of: app.id)
            info.lost = lost.isEmpty ? nil : lost
            return info
        }
        return hosted + broken.filter { supervisors[$0.app] == nil }
    }

    /// Describes the problem with the manifest of an app whose worker still runs.
    private func withdrawal(of app: String) -> String {
        broken.first { $0.app == app }?.error
            ?? "its manifest has gone, and the app goes when its sessions end: "
            + "`napkin-client stop \(app) --force` ends those that are not stored, "
            + "`napkin-client kill` any of them"
    }

    /// Returns the worker's answer, or the given value if no worker runs.
    private func orElse(
        _ answer: AnswerPiece?, _ value: some Encodable
    ) throws(Refusal) -> AnswerPiece {
        if let answer { return answer }
        return AnswerPiece(bytes: try Payload(answer: value).bytes)
    }
}
