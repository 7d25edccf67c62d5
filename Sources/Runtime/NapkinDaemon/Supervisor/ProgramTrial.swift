// ProgramTrial: tries an app's new program beside the old one, before the old one ends.

import NapkinCore
import NapkinHost
import NapkinProtocol

/// Starts the new program beside the old one, with a separate socket and no session.
@MainActor
struct ProgramTrial {
    let app: AppSupervisor

    private var id: String { app.app.id }
    private var sessions: SessionRegistry { app.apps.sessions }

    /// Returns when the program has proved that it starts, that the old program's fronts could
    /// attach, and that stored sessions could be restored.
    func run() async throws(Refusal) {
        let number = (1...Isolation.sessionsMax).last {
            app.isFree($0) && app.endings[$0] == nil
        }
        guard let number else { throw app.refusal() }
        let trial = WorkerSupervisor(number, of: app, isTrial: true)
        app.trial = trial
        app.log.programTried()
        defer { app.trial = nil }
        var failure: Refusal?
        do throws(Refusal) {
            let new = try await trial.registeredWorker().contract()
            if let old = try await oldContract() {
                try check(ContractComparison.changes(from: old, to: new))
            }
        } catch {
            failure = error
        }
        if failure != nil, let death = trial.death {
            failure = Refusal(
                .workerUnavailable,
                "the new program of \(id) does not come up: \(death); the old one keeps "
                    + "running; see `napkin-client logs \(id)`")
        }
        await trial.end(within: Daemon.drainDeadline)
        if let failure { throw failure }
    }

    private var hasStoredSessions: Bool {
        !sessions.storing(id).isEmpty
            || app.workers.values.contains {
                sessions.held(by: $0.id).contains(where: sessions.isStored)
            }
    }

    private var hasFronts: Bool {
        app.workers.values.contains { $0.isRegistered && sessions.count(of: $0.id) > 0 }
    }

    /// The contract of attached fronts and stored sessions; `nil` if there can be none, or if no
    /// running worker could provide it.
    private func oldContract() async throws(Refusal) -> AppSchema? {
        guard hasFronts || hasStoredSessions else { return nil }
        return try await app.workers.values.first(where: \.isRegistered)?.registeredWorker()
            .contract()
    }

    private func check(_ changes: [ContractChange]) throws(Refusal) {
        let breaking = changes.filter(\.breaksOlderFronts)
        let ofFronts = hasFronts ? breaking.filter { !$0.isStored } : []
        let ofStates = hasStoredSessions ? breaking.filter(\.isStored) : []
        if let words = Self.words(ofFronts) {
            throw Refusal(
                .contractMismatch,
                "the contract of the new program breaks the attached fronts: \(words); the old "
                    + "one keeps running; `napkin-client restart \(id) --force` starts the new "
                    + "one anyway, and those fronts leave: attach again with the new one")
        }
        if let words = Self.words(ofStates) {
            throw Refusal(
                .contractMismatch,
                "the new program cannot restore what sessions have stored: \(words); the old one "
                    + "keeps running; add a Migration to the new one; `napkin-client restart "
                    + "\(id)` starts it anyway: these sessions are then kept, but closed until "
                    + "a program reads them")
        }
    }

    private static func words(_ breaking: [ContractChange]) -> String? {
        guard let first = breaking.first else { return nil }
        let more = breaking.count > 1 ? ", and \(breaking.count - 1) more changes" : ""
        return first.summary.shortened(to: Limits.refusalBytesMax / 2) + more
    }
}
