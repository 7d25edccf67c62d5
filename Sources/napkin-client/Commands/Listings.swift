// Listings: the commands that list apps and sessions.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import NapkinProtocol

struct Sessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the sessions.",
        discussion: """
            Each with its app, the process that runs it, how long it has been there, how many \
            nodes are mounted, and who looks on.

              napkin-client ls
              napkin-client ls --json
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let sessions: [SessionInfo] = try await daemon.ask(.sessions)
        if json {
            print(try JSONOutput.text(of: sessions))
            return 0
        }
        var table = Table("SESSION", "APP", "PID", "AGE", "NODES", "FRONTS")
        for session in sessions {
            table.add(
                session.session, session.app, "\(session.pid)", Self.age(session.ageSeconds),
                "\(session.nodes)",
                session.fronts.map { "\($0.client) (\($0.pid))" }.joined(separator: ", "))
        }
        print(table.lines.joined(separator: "\n"))
        return 0
    }

    /// `42s`, `3m12s`, `5h07m`, `2d03h`: the two largest units.
    static func age(_ seconds: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        switch seconds {
        case ..<60: return "\(max(0, seconds))s"
        case ..<3600: return "\(seconds / 60)m\(two(seconds % 60))s"
        case ..<86_400: return "\(seconds / 3600)h\(two(seconds / 60 % 60))m"
        default: return "\(seconds / 86_400)d\(two(seconds / 3600 % 24))h"
        }
    }
}

struct Apps: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the apps that the daemon hosts.",
        discussion: """
            An app is idle until a front asks for it, and degraded when it died too often.

              napkin-client apps
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let apps: [AppInfo] = try await daemon.ask(.apps)
        if json {
            print(try JSONOutput.text(of: apps))
            return 0
        }
        var table = Table("APP", "STATE", "PID", "SESSIONS", "CRASHES")
        for app in apps {
            table.add(
                app.app, app.state.rawValue, app.pid.map { "\($0)" } ?? "-", "\(app.sessions)",
                "\(app.crashes)")
        }
        print(table.lines.joined(separator: "\n"))
        return 0
    }
}
