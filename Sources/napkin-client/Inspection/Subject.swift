// Subject: what a command looks into: a session, an app, or all that there is.
//
// Layer      executable, inspection.
// Isolation  value; resolving is @MainActor.

import NapkinFront
import NapkinProtocol

/// One worker's sessions, or one session.
struct Subject: Hashable, Sendable {
    var app: String
    /// Absent when all sessions of the app are meant.
    var session: String?

    /// What `name` names: a session, or else an app; all apps when it is absent.
    @MainActor
    static func resolve(
        _ name: String?, _ options: DaemonOptions, _ daemon: DaemonConnection
    ) async throws(ClientFailure) -> [Subject] {
        let apps: [AppInfo] = try await options.ask(.apps, of: daemon)
        guard let name else { return apps.map { Subject(app: $0.app) } }
        let sessions: [SessionInfo] = try await options.ask(.sessions, of: daemon)
        if let found = sessions.first(where: { $0.session == name }) {
            return [Subject(app: found.app, session: name)]
        }
        if apps.contains(where: { $0.app == name }) { return [Subject(app: name)] }
        let known = sessions.map(\.session) + apps.map(\.app)
        throw ClientFailure(
            ExitTable.noInput,
            "there is no session and no app '\(name)'"
                + Suggestion.hint(for: name, among: known)
                + "; `napkin-client ls` and `napkin-client apps` list them")
    }
}
