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
        let sessions: [SessionInfo] = try await daemon.ask(.sessions)
        let listed = sessions.map { SessionListing($0, user: UserName.of) }
        if json {
            print(try JSONOutput.text(of: listed))
        } else {
            print(SessionListing.lines(of: listed).joined(separator: "\n"))
        }
        return 0
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
