// OpenedSession: tracks whether a command created a session, to end it if the command fails.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol

struct OpenedSession {
    var name: String
    var isNew = false
    /// Whether another front has attached, and therefore shares the session.
    private(set) var isShared = false
    /// Whether the worker has reported the number of fronts.
    private(set) var isCounted = false

    mutating func counted(_ fronts: Int) {
        isCounted = true
        if fronts > 1 { isShared = true }
    }

    /// Ends the session if it was opened in vain: by a command that has failed, for itself alone.
    @MainActor
    func endIfAlone(_ options: DaemonOptions) async {
        guard isNew, !isShared else { return }
        do throws(ClientFailure) {
            let connection = try await options.connect(spawns: false)
            defer { connection.close() }
            if !isCounted, try await hasOthers(connection, options) { return }
            let _: Bool = try await options.ask(.kill(session: name), of: connection)
        } catch {
            // The command's failure is reported as well, after this one.
            error.report()
        }
    }

    /// Whether other fronts than this program's are attached to the session. This program's front
    /// may be attached without having learned of it.
    @MainActor
    private func hasOthers(
        _ connection: DaemonConnection, _ options: DaemonOptions
    ) async throws(ClientFailure) -> Bool {
        let found = try await WorkerAnswers<SessionInfo>(from: connection, options)
        return found.items.contains { info in
            info.session == name && (info.fronts + info.away).contains { $0.pid != getpid() }
        }
    }
}
