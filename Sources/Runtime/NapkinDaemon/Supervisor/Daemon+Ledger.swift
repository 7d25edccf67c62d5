// Daemon+Ledger: passes tools' requests about journals to the workers that own them.
//
// Spec       Protocol/TOOLS.md, section 4 (What is stored)

import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol

extension Daemon {
    func ledger(
        _ subject: String?, _ session: String?, _ request: LedgerRequest, _ query: Query
    ) async throws(Refusal) -> AnswerPiece {
        if case .journals = request {
            return try answers.firstPiece(of: LongAnswer(try Payload(answer: try names(subject))))
        }
        let worker = try await keeper(subject, session, request)
        // A session being loaded keeps its place until the worker has answered.
        defer { if case .load = request, let session { sessions.openEnded(session, at: now) } }
        worker.openRequests += 1
        defer {
            worker.openRequests -= 1
            // The tool may still fetch pieces of the answer.
            supervisors[worker.id.app]?.opened(worker.id.number)
        }
        _ = try await worker.registeredWorker()
        let patience = Duration.seconds(LedgerLimits.patienceSeconds)
        if let answer = try await worker.query(query, within: patience) { return answer }
        throw worker.unavailable
    }

    /// The names of the workers that have left journals, including workers that do not run.
    private func names(_ subject: String?) throws(Refusal) -> [String] {
        if let subject, let id = WorkerID(subject) {
            _ = try supervisor(of: id.app)
            return state.journals(of: id.app).contains(id.number) ? [subject] : []
        }
        let apps = try subject.map { (app) throws(Refusal) in [try supervisor(of: app).app.id] }
        return (apps ?? order).flatMap { app in
            state.journals(of: app).map { number in
                let id = WorkerID(app: app, number: number)
                return supervisors[app]?.isPlural == true ? "\(id)" : id.fileName
            }
        }
    }

    /// Returns the worker that owns the requested journal, or that will receive a loaded session.
    private func keeper(
        _ subject: String?, _ session: String?, _ request: LedgerRequest
    ) async throws(Refusal) -> WorkerSupervisor {
        if case .load = request, let session, let subject {
            return try await place(session, of: subject)
        }
        if let session { return try await owner(of: session) }
        guard let subject else { throw .nameless }
        let id = WorkerID(subject) ?? WorkerID(app: subject, number: 0)
        let app = try supervisor(of: id.app)
        if app.isStopped { throw app.stopped }
        await app.end(of: id.number)?.value
        guard state.journals(of: id.app).contains(id.number) else {
            throw .noJournal(of: subject)
        }
        return app.worker(id.number)
    }

    /// Returns the worker that will receive a loaded session.
    private func place(
        _ session: String, of subject: String
    ) async throws(Refusal) -> WorkerSupervisor {
        let app = try supervisor(of: subject)
        if app.isStopped { throw app.stopped }
        await app.readJournals()
        guard !sessions.exists(session) else { throw .loading(session) }
        let candidates = app.isFull(for: session) ? [] : app.candidates
        let open = Open(app: subject, session: session)
        switch sessions.opened(open, at: now, among: candidates) {
        case .admit(let found):
            guard found == session, let id = sessions.worker(of: session, at: now) else {
                throw .loading(session)
            }
            await app.end(of: id.number)?.value
            return app.worker(id.number)
        case .refuseUnknown: throw sessions.unknown(session)
        case .refuseFull: throw app.refusal(of: session)
        case .refuseAnotherApp: throw .loading(session)
        }
    }
}
