// FrontProgram: an app's own front, which shows the app in place of this program.

import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

@MainActor
enum FrontProgram {
    /// The variable that names the app whose front has been started: a manifest may name a client
    /// that would start the front again.
    private nonisolated static let started = "NAPKIN_FRONT"
    /// The variable that marks the words as napkin-client's.
    private nonisolated static let inherited = "NAPKIN_INHERITED"
    /// The variable that marks the list of sessions as seen.
    private static let list = "NAPKIN_LIST"

    // All are meant for this program alone, not for the programs that it starts.
    static let knowsList = taken(list) != nil
    /// The app whose front another client has become, as this program.
    nonisolated static let startedFor = taken(started)

    /// Returns a variable and removes it.
    nonisolated static func taken(_ variable: String) -> String? {
        let value = FrontComponent.variable(variable)
        unsetenv(variable)
        return value
    }

    /// Whether this program has become a command of napkin-client.
    nonisolated static let takesInherited = taken(inherited) != nil

    /// Continues as a command of napkin-client in this program.
    static func become(_ words: [String]) throws(ClientFailure) -> Never {
        setenv(inherited, "1", 1)
        defer { unsetenv(inherited) }
        let name = CommandLine.arguments.first ?? ClientSetup.ownName
        try OwnProgram.become(OwnProgram.link, [name] + words) { reason in
            ClientFailure.software("this program cannot be started again: \(reason)")
        }
    }

    /// Continues as the app's own front with these arguments; returns if its manifest names none,
    /// or if this program is that front.
    ///
    /// - Parameter leave: called first, once it is known that there is such a front.
    static func become(
        of app: String, _ arguments: [String], asking daemon: DaemonOptions,
        knowsList: Bool = false, leaving leave: () -> Void = {}
    ) async throws(ClientFailure) {
        _ = Self.knowsList
        // A manifest of another machine names a program there.
        guard app != ClientSetup.current.app, startedFor != app,
            daemon.host == nil
        else { return }
        let apps: [AppInfo] = try await daemon.ask(.apps)
        guard let front = apps.first(where: { $0.app == app })?.front, let program = front.first
        else { return }
        leave()
        setenv(started, app, 1)
        if knowsList { setenv(list, "1", 1) }
        if let path = DaemonProgram.path { setenv(DaemonProgram.variable, path, 1) }
        defer { for variable in [started, list, DaemonProgram.variable] { unsetenv(variable) } }
        try OwnProgram.become(program, front + arguments) { reason in
            ClientFailure.noInput("the front of '\(app)', \(program), cannot be started: \(reason)")
        }
    }
}
