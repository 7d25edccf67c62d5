// ToolQueries: answers tools' queries, most of which napkind passes on to a worker.
//
// Ownership  owned by the daemon.
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol

@MainActor
final class ToolQueries {
    /// The time limit for one piece of a listing. Chosen: a worker needs milliseconds, and a
    /// stopped worker must be reported soon.
    private static let listingPatience = Duration.seconds(1)
    /// The time limit for an answer that a worker holds back. Chosen: a second more than it does.
    private static let watchPatience = Duration.seconds(Limits.inspectionHoldSeconds + 1)
    /// The first cursor of napkind's own answers, which must differ from the cursors of workers.
    private static let firstCursor: UInt32 = 1 << 31

    private let apps: HostedApps
    private let kills: SessionKills
    private let answers = LongAnswers(first: ToolQueries.firstCursor)

    init(_ apps: HostedApps, _ kills: SessionKills) {
        (self.apps, self.kills) = (apps, kills)
    }

    /// Returns the encoded answer to a query, or the first piece of it.
    func answer(_ query: Query) async throws(Refusal) -> AnswerPiece {
        switch query {
        case .apps:
            apps.findUnwatchedApps()
            return try long(apps.infos)
        case .status:
            var status = apps.server.status(unwatched: apps.unwatched)
            status.clusterError = apps.cluster?.failure
            return try AnswerPiece(answer: status)
        case .cluster(let withSessions, let name):
            guard let cluster = apps.cluster else { throw .noCluster }
            return try long(try await cluster.listing(withSessions: withSessions, named: name))
        case .logLevel(nil, let word): return try AnswerPiece(answer: try LogLevel.change(to: word))
        case .logLevel(let app?, let word):
            let former = try await apps.supervisor(of: app).changeLogLevel(to: word)
            return try AnswerPiece(answer: former)
        case .ledger(let subject, let session, let request):
            let journals = JournalQueries(apps: apps, subject: subject, session: session)
            if case .journals = request { return try long(try await journals.names()) }
            return try await journals.answer(query, request)
        case .more(_, _, let cursor) where cursor >= Self.firstCursor:
            return try answers.piece(at: cursor)
        case .more(nil, nil, let cursor): return try answers.piece(at: cursor)
        case .sessions(let app): return try await listing(of: app, query)
        case .tree(let app, let session):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.listingPatience)
            if answer == nil, let session {
                throw apps.sessions.isStored(session)
                    ? .notRunning(session) : apps.sessions.unknown(session)
            }
            return try answer.or([SessionTree]())
        case .kill(let session, let force):
            return try await kills.kill(session, byForce: force == true)
        case .control(let app, let action, let force):
            let control = AppControl(app: try apps.supervisor(of: app), force: force == true)
            return try AnswerPiece(answer: try await control.perform(action))
        case .detach(let session, _):
            return try await apps.owner(of: session).query(query).or(0)
        case .rename(let session, let name):
            return try await SessionRename(apps: apps, session: session, name: name).perform(query)
        case .schema(let app): return try await schema(of: try apps.supervisor(of: app))
        case .watch(let app, let session, _, _, _):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.watchPatience)
            return try answer.or(TreeSample(digest: 0, trees: []))
        case .top(let app, let session):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.watchPatience)
            return try answer.or(Figures(nanoseconds: 0, crossings: [], omitted: 0))
        case .trace(let session, _, _, _):
            let answer = try await apps.owner(of: session).query(query)
            if let answer { return answer }
            throw .notRunning(session)
        case .crashes(let app?, let number?):
            let receipt = try apps.supervisor(of: app).crashBook.fullReceipt(number)
            return try long([receipt].compactMap(\.self))
        case .crashes(let app?, nil):
            return try long(apps.supervisor(of: app).crashBook.listing)
        case .crashes(nil, _):
            return try long(apps.ordered.flatMap(\.crashBook.listing).sorted { $0.at < $1.at })
        case .release(let app, let receipt):
            return try await release(receipt, of: apps.supervisor(of: app), query)
        case .more(let app, let session, _):
            let answer = try await inspected(app, session)?
                .query(query, within: Self.listingPatience)
            if let answer { return answer }
            throw Refusal(.workerUnavailable, "the worker that was answering has ended; ask again")
        }
    }

    private func long(_ answer: some Encodable) throws(Refusal) -> AnswerPiece {
        try answers.firstPiece(of: LongAnswer(try Payload(answer: answer)))
    }

    /// Lets inputs run again, including in running workers.
    private func release(
        _ receipt: UInt64?, of app: AppSupervisor, _ query: Query
    ) async throws(Refusal) -> AnswerPiece {
        let count = app.crashBook.release(receipt)
        for worker in app.workers.values where worker.isRegistered {
            _ = try await worker.query(query)
        }
        return try AnswerPiece(answer: count)
    }

    // MARK: - Sessions

    /// Returns a worker's sessions; for an app with several workers, the stored sessions that are
    /// in no worker's memory.
    private func listing(of subject: String?, _ query: Query) async throws(Refusal) -> AnswerPiece {
        guard let subject else { throw .nameless }
        let id = WorkerID(subject)
        let app = try apps.supervisor(of: id?.app ?? subject)
        await app.readJournals()
        if id == nil, app.isPlural { return try long(storedSessions(of: app, nil)) }
        let number = id?.number ?? 0
        await app.endings[number]?.value
        let worker = try await inspected(subject, nil)
        do throws(Refusal) {
            let answer = try await worker?.query(query, within: Self.listingPatience)
            if let answer { return answer }
        } catch {
            // The worker may have been found to be surplus meanwhile.
            guard let end = app.endings[number] else {
                let known = storedSessions(of: app, number, silence: error.message)
                if known.isEmpty { throw error }
                return try long(known)
            }
            await end.value
        }
        return try long(storedSessions(of: app, number))
    }

    /// Returns the sessions that are stored and not in memory, of one worker or of all. For a
    /// worker that does not answer, includes the sessions that it holds.
    ///
    /// - Parameter silence: why it does not.
    private func storedSessions(
        of app: AppSupervisor, _ number: Int?, silence: String? = nil
    ) -> [SessionInfo] {
        let sessions = apps.sessions
        let ids = number.map { [app.id($0)] } ?? sessions.storing(app.app.id)
        return ids.flatMap { id in
            let held = silence == nil ? [] : Set(sessions.held(by: id)).union(kills.ending(in: id))
            let pid = silence == nil ? nil : app.workers[id.number]?.pid
            return (sessions.stored(by: id) + held).map { name in
                var info = SessionInfo(stored: name, app: id.app, pid: pid ?? 0)
                let level = app.journals.levels[id.number]
                info.durability = sessions.isStored(name) ? level : nil
                (info.isStored, info.silence) = (held.contains(name) ? nil : true, silence)
                return info
            }
        }.sorted { $0.session < $1.session }
    }

    // MARK: - Workers

    /// Returns the worker that answers a query about its inner state. Waits for a worker that opens
    /// sessions at start and is just starting. Returns `nil` if it has ended.
    ///
    /// - Parameter subject: an app, or one of its workers.
    private func inspected(
        _ subject: String?, _ session: String?
    ) async throws(Refusal) -> WorkerSupervisor? {
        if let session { return try await apps.owner(of: session) }
        guard let subject else { throw .nameless }
        let id = WorkerID(subject)
        let app = try apps.supervisor(of: id?.app ?? subject)
        if id == nil, app.workers.count > 1 {
            let names = app.workers.keys.sorted().prefix(2).map { "\(app.id($0))" }
            throw Refusal(
                .badRequest,
                "\(subject) has \(app.workers.count) workers, which are asked one by one: "
                    + "\(names.joined(separator: ", ")), …")
        }
        let worker = id.map { app.workers[$0.number] } ?? app.workers.values.first
        await worker?.sessionsOpened()
        return worker
    }

    /// Returns an app's encoded schema from a worker, which is started if necessary. A worker that
    /// has outlived an earlier napkind knows best which schema it speaks.
    private func schema(of app: AppSupervisor) async throws(Refusal) -> AnswerPiece {
        let query = Query.schema(app: app.app.id)
        if let running = app.workers.values.first(where: \.isRegistered) {
            return try await running.registeredWorker().ask(query)
        }
        guard let number = app.candidates().first else { throw app.refusal() }
        try await apps.cluster?.refuse(number, of: app)
        defer { app.retireIfUnused(number) }
        return try await app.worker(number).registeredWorker().ask(query)
    }
}

extension AnswerPiece? {
    /// Returns the worker's answer, or the given value if no worker runs.
    func or(_ value: some Encodable) throws(Refusal) -> AnswerPiece {
        if let self { return self }
        return try AnswerPiece(answer: value)
    }
}

extension Refusal {
    static func notRunning(_ session: String) -> Refusal {
        Refusal(
            .workerUnavailable,
            "the worker of session '\(session)' is not running: attach to it, then try again")
    }
}
