// OpenedSession: whether a session is there only since a command has opened it.
//
// Isolation  value; ending it is @MainActor.

import Glibc
import NapkinCore
import NapkinFront
import NapkinProtocol

/// A session that a command has opened, or found.
struct OpenedSession {
    var name: String
    /// Whether it was not there before.
    var isNew = false
    /// Whether another front has been on it, whose session it is then, too.
    private(set) var isShared = false
    /// Whether the worker has said how many fronts are on it.
    private(set) var isCounted = false

    /// So many fronts are on it.
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
            // What the command was to do has failed, too, and that comes next.
            error.report()
        }
    }

    /// Whether other fronts than this program's are on the session. Its own may be there without
    /// having been told.
    @MainActor
    private func hasOthers(
        _ connection: DaemonConnection, _ options: DaemonOptions
    ) async throws(ClientFailure) -> Bool {
        let found = try await Gathered<SessionInfo>(from: connection, options)
        return found.items.contains { info in
            info.session == name && (info.fronts + info.away).contains { $0.pid != getpid() }
        }
    }
}
