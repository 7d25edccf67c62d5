// AppSupervisor+Limits: limits the number of an app's sessions and fronts.
//
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import NapkinProtocol

extension AppSupervisor {
    /// Throws if the app may have no further front now.
    func checkFronts() throws(Refusal) {
        guard let most = app.limits.fronts else { return }
        let count = workers.values.reduce(0) { $0 + $1.fronts }
        guard count >= most else { return }
        throw reached("fronts", "\(count) of \(most)", "detach one with `napkin-client detach`")
    }

    /// Whether no new session of that name may be opened now.
    func isFull(for session: String) -> Bool { full(for: session) != nil }

    /// The refusal if no worker can open a new session of that name.
    func refusal(of session: String) -> Refusal {
        guard let full = full(for: session) else { return refusal }
        return reached("sessions", full, "end one with `napkin-client kill`")
    }

    /// The number of sessions and the limit, if a new one of that name would exceed it. The
    /// manifest's own sessions always have their places.
    private func full(for session: String) -> String? {
        guard let most = app.limits.sessions, !app.sessions.contains(session) else { return nil }
        let own = Set(app.sessions)
        let count = own.union(knownSessions).count
        return count >= most ? "\(count) of \(most)" : nil
    }

    private func reached(_ limit: String, _ count: String, _ remedy: String) -> Refusal {
        let refusal = Refusal(
            .overloaded,
            "\(app.id) has \(count) \(limit), which is the limit in its manifest: "
                + "'\(limit)' in 'limits' of \(app.path); \(remedy), then try again")
        note(limit, refusal)
        return refusal
    }
}
