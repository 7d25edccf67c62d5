// InProcessHost: all apps of a program in one process, which needs no napkind.
//
// Ownership  owns the server and a worker for each app; they end together.
// Invariant  workers are called directly; none is restarted, and none has a limit.
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinHost
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// Answers fronts and tools as napkind does, for `--in-process`.
@MainActor
final class InProcessHost: RequestHandler {
    private let server: RequestServer
    private var workers: [String: WorkerHost] = [:]
    private var sessions: SessionRegistry

    /// Errors: `EX_SOFTWARE` for apps that cannot be hosted together, and the errors of a worker.
    init(_ apps: [any App.Type], _ options: HostOptions) throws(StartError) {
        if let reserved = apps.first(where: { AppManifest.reservedIDs.contains($0.id) }) {
            throw StartError(
                EX_SOFTWARE, "no app can have the id '\(reserved.id)', which napkind uses itself")
        }
        sessions = SessionRegistry(owners: try Self.owners(ofSessionsOf: apps))
        let settings = try options.settings(by: apps.map { $0.id })
        // Report configuration errors before anything is opened.
        for app in apps { _ = try AppConfiguration.read(for: app, settings[app.id] ?? []) }
        server = try RequestServer(options)
        for app in apps {
            let workerOptions = WorkerOptions(
                socket: try server.socketPath(of: WorkerID(app: app.id, number: 0)),
                daemonSocket: server.socket.text, stateDirectory: server.state.path,
                ledger: options.ledgerBackend)
            let worker = try WorkerHost(
                app: app, options: workerOptions, settings: settings[app.id] ?? [])
            worker.onChange = { [weak self, weak worker] names in
                guard let worker else { return }
                self?.sessions.registered(worker.register(of: names))
            }
            workers[app.id] = worker
        }
    }

    /// Returns the owners of the sessions that apps open at start, by session name.
    private static func owners(
        ofSessionsOf apps: [any App.Type]
    ) throws(StartError) -> [String: String] {
        var owners: [String: String] = [:]
        for app in apps {
            for session in app.sessions.map(\.name) {
                if let refusal = Open(app: app.id, session: session).refusal {
                    throw StartError(
                        EX_SOFTWARE,
                        "the app '\(app.id)' cannot open its sessions: \(refusal.message)")
                }
                if let other = owners.updateValue(app.id, forKey: session), other != app.id {
                    throw StartError(
                        EX_SOFTWARE,
                        "the apps '\(other)' and '\(app.id)' both open a session '\(session)' at "
                            + "start: give one of them another name")
                }
            }
        }
        return owners
    }

    /// Serves until a signal ends it, then drains. Returns the exit code.
    func run() async -> Int32 {
        for worker in workers.values {
            sessions.registered(worker.register)
            worker.start()
        }
        server.start(self)
        let code = await server.untilEnded()
        guard code == EX_OK else { return code }
        server.close(since: "is shutting down")
        await drain(within: RequestServer.drainDeadline)
        return EX_OK
    }

    /// Drains all workers; returns when they have ended, or after the deadline.
    private func drain(within time: Duration) async {
        guard !workers.isEmpty else { return }
        var deadline: LoopTimer?
        await withCheckedContinuation { continuation in
            var draining = workers.count
            deadline = LoopTimer(deadline: time) {
                if draining > 0 { continuation.resume() }
                draining = 0
            }
            for worker in workers.values {
                Task {
                    await worker.drain()
                    draining -= 1
                    if draining == 0 { continuation.resume() }
                }
            }
        }
        deadline?.cancel()
    }

    private var now: UInt64 { Loop.shared.now }
    private var order: [String] { workers.keys.sorted() }

    private func worker(of app: String) throws(Refusal) -> WorkerHost {
        if let worker = workers[app] { return worker }
        throw sessions.unknown(app: app, among: order, at: now)
    }

    private func owner(of session: String) throws(Refusal) -> WorkerHost {
        guard let id = sessions.worker(of: session, at: now), let worker = workers[id.app] else {
            throw sessions.unknown(session)
        }
        return worker
    }

    /// Returns the worker that answers a query about an app or a session.
    private func worker(
        _ app: String?, _ session: String?
    ) throws(Refusal) -> WorkerHost {
        if let session { return try owner(of: session) }
        guard let app else { throw .nameless }
        return try worker(of: WorkerID(app)?.app ?? app)
    }

    // MARK: - Fronts

    func open(_ open: Open, pid: Int32) async throws(Refusal) -> Redirect {
        if let refusal = open.refusal { throw refusal }
        let worker = try worker(of: open.app)
        let name = open.session ?? open.app
        switch sessions.opened(open, at: now) {
        case .admit(let session):
            defer { sessions.openEnded(session, at: now) }
            let ticket = String.randomWord()
            try worker.admit(Admit(ticket: ticket, session: session, pid: pid))
            return Redirect(
                socket: worker.options.socket, ticket: ticket, app: open.app, session: session,
                death: nil)
        case .refuseUnknown, .refuseFull: throw sessions.unknown(name)
        case .refuseAnotherApp(let owner): throw .session(name, belongsTo: owner)
        }
    }

    func registered(_ link: Link, _ register: Register) {
        link.refuse(
            Refusal(.unknownApp, "the apps of this process are its own: it has no other workers"))
    }

    // MARK: - Queries

    func answer(_ query: Query) async throws(Refusal) -> AnswerPiece {
        if let refusal = query.refusal { throw refusal }
        switch query {
        case .apps: return try AnswerPiece(answer: order.compactMap { workers[$0] }.map(info))
        case .status: return try AnswerPiece(answer: server.status())
        case .logLevel(let app, let word):
            if let app { _ = try worker(of: app) }
            return try AnswerPiece(answer: try LogLevel.change(to: word))
        case .control(let app, _, _):
            guard app != RequestServer.name else { throw .onlyRestarted }
            _ = try worker(of: app)
            throw Refusal(
                .badRequest, "\(app) is hosted in its own program: end that, and start it again")
        case .cluster: throw .noCluster
        case .crashes: return try AnswerPiece(answer: [Receipt]())
        case .release: return try AnswerPiece(answer: 0)
        case .kill(let session, _): return try await kill(session, query)
        case .rename(let session, let name): return try await rename(session, to: name, query)
        case .ledger(let subject, let session, let request):
            return try await ledger(subject, session, request, query)
        case .schema(let app): return try await worker(of: app).queries.piece(of: query)
        case .sessions(let app): return try await worker(app, nil).queries.piece(of: query)
        case .detach(let session, _), .trace(let session, _, _, _):
            return try await owner(of: session).queries.piece(of: query)
        case .tree(let app, let session), .watch(let app, let session, _, _, _),
            .top(let app, let session), .more(let app, let session, _):
            return try await worker(app, session).queries.piece(of: query)
        }
    }

    private func info(_ worker: WorkerHost) -> AppInfo {
        let figures = ProcessFigures(of: getpid())
        var info = AppInfo(
            app: worker.app.id, state: .running, pid: getpid(), sessions: worker.sessions.count,
            seconds: figures?.seconds, bytes: figures?.bytes,
            durability: worker.register(of: []).durability)
        if info.durability != nil { info.ledger = worker.options.ledger.name }
        return info
    }

    private func kill(_ session: String, _ query: Query) async throws(Refusal) -> AnswerPiece {
        let worker = try owner(of: session)
        _ = sessions.killed(session, at: now)
        let answer = try await worker.queries.piece(of: query)
        sessions.killAnswered(session, by: WorkerID(app: worker.app.id, number: 0), at: now)
        // A front may have attached under that name before this session had ended.
        if worker.holds(session) { worker.onChange([session]) }
        return answer
    }

    private func rename(
        _ session: String, to name: String, _ query: Query
    ) async throws(Refusal) -> AnswerPiece {
        let worker = try owner(of: session)
        switch sessions.renameRequested(session, to: name, at: now) {
        case .tell: break
        case .refuseUnknown: throw sessions.unknown(session)
        case .refuseTaken(let owner): throw .renaming(to: name, of: owner)
        }
        do throws(Refusal) {
            let renaming = try await worker.rename(session, to: name)
            sessions.renameAnswered(renaming)
            return try AnswerPiece(answer: renaming)
        } catch {
            sessions.renameFailed(session, to: name)
            throw error
        }
    }

    private func ledger(
        _ subject: String?, _ session: String?, _ request: LedgerRequest, _ query: Query
    ) async throws(Refusal) -> AnswerPiece {
        if case .journals = request {
            let asked = try subject.map { (app) throws(Refusal) in
                [try self.worker(app, nil).app.id]
            }
            return try AnswerPiece(answer: (asked ?? order).filter(hasJournal))
        }
        if case .load = request, let session, let subject {
            let worker = try self.worker(of: subject)
            guard !sessions.exists(session),
                sessions.opened(Open(app: subject, session: session), at: now)
                    == .admit(session: session)
            else { throw .loading(session) }
            defer { sessions.openEnded(session, at: now) }
            return try await worker.queries.piece(of: query)
        }
        let worker = try self.worker(subject, session)
        guard session != nil || hasJournal(worker.app.id) else {
            throw .noJournal(of: worker.app.id)
        }
        return try await worker.queries.piece(of: query)
    }

    private func hasJournal(_ app: String) -> Bool { !server.state.journals(of: app).isEmpty }
}
