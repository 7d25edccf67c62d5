// WorkerAnswers: the answers of all apps' workers, and the apps that could not be asked.
//
// Spec       Protocol/TOOLS.md, section 1 (Queries)

import NapkinCore
import NapkinFront
import NapkinProtocol

struct WorkerAnswers<Item: Decodable & Sendable> {
    /// The apps that napkind hosts.
    private(set) var apps: [AppInfo]
    /// The apps without a usable manifest.
    private(set) var broken: [AppInfo]
    private(set) var items: [Item] = []
    /// The reasons why apps' items are missing.
    private(set) var failures: [(app: String, failure: ClientFailure)] = []

    /// The number of workers that are asked at the same time. Chosen: half of the requests that
    /// napkind handles for one process.
    private static var askedTogether: Int { Limits.requestsMax / 2 }

    /// Asks the apps' workers at the same time, so that none waits for another.
    ///
    /// - Parameter names: the names of an app under which its workers are asked.
    @MainActor
    init(
        from daemon: DaemonConnection, _ options: DaemonOptions,
        of names: (AppInfo) -> [String] = \.workerNames, _ query: (String) -> Query
    ) async throws(ClientFailure) {
        let listed: [AppInfo] = try await options.ask(.apps, of: daemon)
        apps = listed.filter { $0.state != .broken }
        broken = listed.filter { $0.state == .broken }
        let silent = UnansweredWorkers()
        let notice = WaitingNotice(for: { silent.names.first.map(FrontWait.worker) })
        defer { notice.end() }
        var workers = apps.flatMap { app in names(app).map { (app.app, $0) } }[...]
        while !workers.isEmpty {
            let asked = workers.prefix(Self.askedTogether).map { app, worker in
                let query = query(worker)
                return (app, Task.immediate { await Self.answer(to: query, of: daemon) })
            }
            silent.names = workers.prefix(asked.count).map(\.1)
            workers = workers.dropFirst(asked.count)
            for (app, task) in asked {
                defer { silent.names.removeFirst() }
                switch await task.value {
                case .success(let answer): items += answer
                case .failure(let failure): failures.append((app, failure))
                }
            }
        }
    }

    @MainActor
    private static func answer(
        to query: Query, of daemon: DaemonConnection
    ) async -> Result<[Item], ClientFailure> {
        do throws(FrontError) {
            return .success(try await daemon.query(query))
        } catch {
            return .failure(ClientFailure(error))
        }
    }

    /// Reports missing items on standard error; returns the exit status.
    func reportFailures() -> Int32 { failures.map(\.failure).report() }
}

@MainActor
private final class UnansweredWorkers {
    var names: [String] = []
}

extension WorkerAnswers where Item == SessionInfo {
    @MainActor
    init(from daemon: DaemonConnection, _ options: DaemonOptions) async throws(ClientFailure) {
        try await self.init(from: daemon, options, of: \.listingNames) { .sessions(app: $0) }
        let known = items.reversed().map { ($0.session, $0) }
        // A worker's facts about a session take precedence over napkind's.
        items = Dictionary(known) { $0.pid == 0 ? $1 : $0 }.values
            .sorted { $0.session < $1.session }
        for info in items {
            guard let silence = info.silence else { continue }
            let failure = ClientFailure(FrontError(Refusal(.workerUnavailable, silence)))
            if !failures.contains(where: { $0.failure == failure }) {
                failures.append((info.app, failure))
            }
        }
    }

    /// Returns the session with that name. Throws the failure of its worker or, if the session is
    /// not found, of any worker that could not be asked.
    func session(_ name: String) throws(ClientFailure) -> SessionInfo {
        let found = items.first { $0.session == name }
        if let found, found.silence == nil { return found }
        if let (_, failure) = failures.first { throw failure }
        throw .unknownSession(name, known: items.map(\.session))
    }
}

extension [Subject] {
    /// Asks for the newest figures. If there are several workers, one that does not answer is left
    /// out; a single worker must answer.
    @MainActor
    func figures(
        _ ask: (Query) async throws(ClientFailure) -> Figures
    ) async throws(ClientFailure) -> [Subject: Figures] {
        var figures: [Subject: Figures] = [:]
        for subject in self {
            do throws(ClientFailure) {
                figures[subject] = try await ask(.top(app: subject.app, session: subject.session))
            } catch {
                // A worker that has just died restarts and counts from zero.
                guard error.refusal == .workerUnavailable, count > 1 else { throw error }
            }
        }
        return figures
    }
}

/// One worker's sessions, or one session.
struct Subject: Hashable, Sendable {
    /// An app, or one of its workers.
    var app: String
    /// The session; absent for all sessions of the app.
    var session: String?

    /// The query that is answered when the trees no longer have that digest.
    func watch(since digest: UInt64?, every interval: Duration, withInventory: Bool) -> Query {
        .watch(
            app: app, session: session, digest: digest,
            milliseconds: UInt32(clamping: Int(interval / .milliseconds(1))),
            inventory: withInventory)
    }

    /// Returns the subjects of `name`: a session, otherwise an app; all apps if it is absent.
    @MainActor
    static func resolve(
        _ name: String?, _ options: DaemonOptions, _ daemon: DaemonConnection
    ) async throws(ClientFailure) -> [Subject] {
        guard let name else {
            let apps: [AppInfo] = try await options.ask(.apps, of: daemon)
            return apps.filter { $0.state != .broken }.flatMap(\.workerNames)
                .map { Subject(app: $0) }
        }
        let sessions = try await WorkerAnswers<SessionInfo>(from: daemon, options)
        if let found = sessions.items.first(where: { $0.session == name }) {
            return [Subject(app: found.app, session: name)]
        }
        if let app = try await options.storedElsewhere(name, daemon) {
            return [Subject(app: app, session: name)]
        }
        let apps = sessions.apps
        if let workers = apps.lazy.compactMap({ $0.workerNames(for: name) }).first {
            return workers.map { Subject(app: $0) }
        }
        if let (_, failure) = sessions.failures.first { throw failure }
        let known = sessions.items.map(\.session) + apps.map(\.app)
        throw .noInput(
            "there is no session or app '\(name)'"
                + Suggestion.hint(for: name, among: known)
                + "; `napkin-client ls` and `napkin-client apps` list them")
    }
}
