// SessionList: a daemon's apps and sessions, to which a client can attach.

import NapkinProtocol
import NapkinTransport

struct SessionList: Equatable {
    struct Entry: Equatable, Identifiable {
        let app: String
        /// `nil` for the session with the app's name, whether or not it exists.
        let session: String?
        /// Its state: `2 fronts`.
        let state: String
        /// The session's facts, if it exists.
        let info: SessionInfo?
        /// The problem of the session or of its app.
        var problem: String?

        /// Unique in the list: no app's name has a slash.
        var id: String { Self.id(of: sessionName, app: app) }

        /// The `id` of a session's line, which for the app's namesake is the app's own.
        static func id(of session: String, app: String) -> String {
            session == app ? app : "\(app)/\(session)"
        }

        /// The name in the list, in which the other sessions are below their app.
        var name: String { session.map { "  \($0)" } ?? app }

        /// The name of the session, whether or not it exists.
        var sessionName: String { session ?? app }
    }

    /// The advice for a daemon without apps.
    static let firstApp = "`napkin-client new app Counter` makes one"
    /// The message for a daemon without apps.
    static let noApp = "No app is installed: \(firstApp)."

    let entries: [Entry]
    /// A line such as `napkind · 3 apps · 1 session`.
    let summary: String

    /// - Parameter elsewhere: stored sessions that are not on this machine.
    init(
        _ apps: [AppInfo], _ sessions: [SessionInfo], silent: [String: String] = [:],
        elsewhere: [ClusterSession] = []
    ) {
        let running = Set(sessions.filter { $0.isStored != true }.map(\.session))
        let others = elsewhere.filter { !running.contains($0.session) }
        let machines = Dictionary(others.map { ($0.session, $0.machine) }) { first, _ in first }
        let sessions =
            sessions.filter { machines[$0.session] == nil }
            + others.map { SessionInfo(stored: $0.session, app: $0.app) }
        func state(_ session: SessionInfo) -> String {
            machines[session.session].flatMap(\.self).map { "on \($0)" } ?? Self.state(session)
        }
        entries = apps.flatMap { app in
            let own = sessions.filter { $0.app == app.app }
            let namesake = own.first { $0.session == app.app }
            let first = Entry(
                app: app.app, session: nil,
                state: silent[app.app] != nil
                    ? SessionInfo.silent : namesake.map(state) ?? Self.state(of: app),
                info: namesake,
                problem: app.error ?? silent[app.app] ?? namesake?.defect ?? app.loss
                    ?? (app.state == .degraded ? app.lastDeath : nil))
            return [first]
                + own.filter { $0.session != app.app }.sorted { $0.session < $1.session }.map {
                    Entry(
                        app: app.app, session: $0.session, state: state($0), info: $0,
                        problem: $0.silence ?? $0.defect)
                }
        }
        summary = ["napkind", apps.count.counted("app"), sessions.count.counted("session")]
            .joined(separator: " · ")
    }

    /// Returns the workers' answers, with the former answers of silent workers' sessions.
    func remembered(_ sessions: [SessionInfo]) -> [SessionInfo] {
        guard sessions.contains(where: { $0.silence != nil }) else { return sessions }
        let known = entries.compactMap { entry in entry.info.map { (entry.id, $0) } }
        let former = Dictionary(known) { first, _ in first }
        return sessions.map { info in
            guard let silence = info.silence,
                var known = former[Entry.id(of: info.session, app: info.app)]
            else { return info }
            known.silence = silence
            return known
        }
    }

    private static func state(_ session: SessionInfo) -> String {
        if session.silence != nil { return SessionInfo.silent }
        if session.isStored == true { return "stored" }
        return session.fronts.isEmpty ? "no fronts" : session.fronts.count.counted("front")
    }

    private static func state(of app: AppInfo) -> String {
        [.degraded, .stopped, .broken].contains(app.state) ? app.state.rawValue : "new"
    }
}
