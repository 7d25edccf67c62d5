// Listings: the commands that list apps and sessions.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import NapkinProtocol
import NapkinTransport

struct Sessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the sessions.",
        discussion: """
            Each with its app, how long it has been there, how many nodes are mounted, the \
            worker process that runs it, the memory of that process (RSS, which all sessions of \
            the app share), and its fronts: number, user, program and process, how long nothing \
            has come from it, and its state: attached, read-only, slow (it reads less than it is \
            sent), or away (its connection is lost, and it may come back).

              napkin-client ls
              napkin-client ls --json
              napkin-client ls --json | jq -r '.[].fronts[] | select(.state == "away") | .front'
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        // In this order: a session that is made meanwhile is not one that is missing.
        let apps: [AppInfo] = try await daemon.ask(.apps)
        let sessions: [SessionInfo] = try await daemon.ask(.sessions)
        let listed = sessions.map { SessionListing($0, user: UserName.of) }
        try StandardOutput.put(
            json
                ? try JSONOutput.line(of: listed)
                : PrintableText(lines: SessionListing.lines(of: listed)))
        let missing = Self.missing(apps, sessions)
        for sentence in missing { ClientFailure(ExitTable.unavailable, sentence).report() }
        return missing.isEmpty ? 0 : ExitTable.unavailable
    }

    /// What is known of sessions whose worker does not answer, a sentence for each app.
    static func missing(_ apps: [AppInfo], _ sessions: [SessionInfo]) -> [String] {
        apps.compactMap { app in
            let count = app.sessions - sessions.count { $0.app == app.app }
            guard let pid = app.pid, count > 0 else { return nil }
            return "the worker of \(app.app) (pid \(pid)) does not answer; "
                + "\(count == 1 ? "1 session" : "\(count) sessions") of it cannot be listed"
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
            try StandardOutput.put(try JSONOutput.line(of: apps))
            return 0
        }
        var table = Table("APP", "STATE", "PID", "SESSIONS", "CRASHES")
        for app in apps {
            table.add(
                app.app, app.state.rawValue, app.pid.map { "\($0)" } ?? "-", "\(app.sessions)",
                "\(app.crashes)")
        }
        try StandardOutput.put(PrintableText(lines: table.lines))
        return 0
    }
}
