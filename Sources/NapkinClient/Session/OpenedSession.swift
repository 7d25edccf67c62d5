// OpenedSession: whether a session is there only since a command has opened it.
//
// Layer      executable, session.
// Isolation  value; ending it is @MainActor.

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

    /// So many fronts are on it.
    mutating func counted(_ fronts: Int) {
        if fronts > 1 { isShared = true }
    }

    /// Ends the session if it was opened in vain: by a command that has failed, for itself alone.
    @MainActor
    func endIfAlone(_ options: DaemonOptions) async {
        guard isNew, !isShared else { return }
        do throws(ClientFailure) {
            let connection = try await options.connect(spawns: false)
            defer { connection.close() }
            let _: Bool = try await options.ask(.kill(session: name), of: connection)
        } catch {
            // What the command was to do has failed, too, and that comes next.
            error.report()
        }
    }
}
