// JournalQueries: passes tools' requests about journals to the workers that own them.
//
// Spec       Protocol/TOOLS.md, section 4 (What is stored)

import NapkinHost
import NapkinProtocol

/// One request about an app, one of its workers, or a session.
@MainActor
struct JournalQueries {
    let apps: HostedApps
    let subject: String?
    let session: String?

    /// The names of the workers that have left journals, including workers that do not run.
    func names() async throws(Refusal) -> [String] {
        if let subject, let id = WorkerID(subject) {
            let journals = try await journals(of: try apps.supervisor(of: id.app))
            return journals.contains(id.number) ? [subject] : []
        }
        let asked = try subject.map { (app) throws(Refusal) in [try apps.supervisor(of: app)] }
        var names: [String] = []
        for app in asked ?? apps.ordered {
            names += try await journals(of: app).map { number in
                app.isPlural ? "\(app.id(number))" : app.id(number).fileName
            }
        }
        return names
    }

    /// The numbers of the app's workers that have left journals, on any machine of a cluster.
    private func journals(of app: AppSupervisor) async throws(Refusal) -> [Int] {
        guard let cluster = apps.cluster else { return apps.state.journals(of: app.app.id) }
        return try await cluster.journals(of: app)
    }

    func answer(_ query: Query, _ request: LedgerRequest) async throws(Refusal) -> AnswerPiece {
        let worker = try await keeper(request)
        // A session being loaded keeps its place until the worker has answered.
        defer {
            if case .load = request, let session {
                apps.sessions.openEnded(session, at: apps.now)
            }
        }
        worker.openRequests += 1
        defer {
            worker.openRequests -= 1
            // The tool may still fetch pieces of the answer.
            worker.owner.opened(worker.id.number)
        }
        _ = try await worker.registeredWorker()
        let patience = Duration.seconds(LedgerLimits.patienceSeconds)
        if let answer = try await worker.query(query, within: patience) { return answer }
        throw worker.unavailable
    }

    /// Returns the worker that owns the requested journal, or that will receive a loaded session.
    private func keeper(_ request: LedgerRequest) async throws(Refusal) -> WorkerSupervisor {
        if case .load = request, let session, let subject {
            return try await place(session, of: subject)
        }
        if let session { return try await apps.owner(of: session) }
        guard let subject else { throw .nameless }
        let id = WorkerID(subject) ?? WorkerID(app: subject, number: 0)
        let app = try apps.supervisor(of: id.app)
        if app.isStopped { throw app.refusal(.stopped) }
        await app.endings[id.number]?.value
        guard try await journals(of: app).contains(id.number) else {
            throw .noJournal(of: subject)
        }
        do throws(Refusal) {
            try await apps.cluster?.refuse(id.number, of: app)
        } catch {
            guard case .copy = request, let host = error.machine?.host else { throw error }
            // Where the tool would follow, the file would be there.
            throw Refusal(
                .workerUnavailable,
                "the journal of \(subject) is on another machine: `napkin-client --host \(host) "
                    + "ledger backup \(subject) FILE` writes the file there")
        }
        return app.worker(id.number)
    }

    /// Returns the worker that will receive a loaded session.
    private func place(
        _ session: String, of subject: String
    ) async throws(Refusal) -> WorkerSupervisor {
        let app = try apps.supervisor(of: subject)
        if app.isStopped { throw app.refusal(.stopped) }
        let open = Open(app: subject, session: session)
        await app.readJournals()
        let candidates =
            if let cluster = apps.cluster {
                try await cluster.candidates(for: session, open, of: app)
            } else {
                app.candidates(for: session)
            }
        guard !apps.sessions.exists(session) else { throw .loading(session) }
        switch apps.sessions.opened(open, at: apps.now, among: candidates) {
        case .admit(let found):
            guard found == session, let id = apps.sessions.worker(of: session, at: apps.now) else {
                throw .loading(session)
            }
            await app.endings[id.number]?.value
            return app.worker(id.number)
        case .refuseUnknown: throw apps.sessions.unknown(session)
        case .refuseFull: throw app.refusal(of: session)
        case .refuseAnotherApp: throw .loading(session)
        }
    }
}
