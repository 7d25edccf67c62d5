// Subject: the target of a command: a session, an app, or everything.

import NapkinFront
import NapkinProtocol

/// One worker's sessions, or one session.
struct Subject: Hashable, Sendable {
    /// An app, or one of its workers.
    var app: String
    /// Absent if all sessions of the app are meant.
    var session: String?

    /// Returns what `name` names: a session, otherwise an app; all apps if it is absent.
    @MainActor
    static func resolve(
        _ name: String?, _ options: DaemonOptions, _ daemon: DaemonConnection
    ) async throws(ClientFailure) -> [Subject] {
        guard let name else {
            let apps: [AppInfo] = try await options.ask(.apps, of: daemon)
            return apps.filter { $0.state != .broken }.flatMap(\.workerNames)
                .map { Subject(app: $0) }
        }
        let sessions = try await Gathered<SessionInfo>(from: daemon, options)
        if let found = sessions.items.first(where: { $0.session == name }) {
            return [Subject(app: found.app, session: name)]
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
