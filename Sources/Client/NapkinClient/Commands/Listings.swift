// Listings: the commands that list apps and sessions.

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Sessions: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "Lists the sessions.",
        discussion: """
            For each: its app, its age, how many nodes are mounted, its worker process, the memory \
            of that process (RSS, shared by all sessions in it), and its fronts: number, user, \
            program and process, how long each has been idle, and its state: attached, read-only, \
            slow (it reads less than it is sent), or away (its connection is lost, and it may come \
            back). A `stored` session is on disk only: the next `attach` or `send` brings it back. \
            Of a worker that does not answer, only the names of its sessions are listed: standard \
            error says why, as `silence` does in the JSON, and the exit status is 69. A narrow \
            terminal leaves out the processes, their memory and the nodes first, then all but \
            names, fronts and states.

            With --everywhere, all stored sessions of the cluster are listed instead: each with \
            its app, its worker and the machine that has it now, or - if none has.

              napkin-client ls
              napkin-client ls --everywhere
              napkin-client ls --json
              napkin-client ls --json |
                  jq -r '.[].fronts[] | select(.state == "away") | .front'
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @Flag(help: "List the stored sessions of all machines of the cluster.")
    var everywhere = false

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        if everywhere { return try await listEverywhere() }
        let connection = try await daemon.connect()
        defer { connection.close() }
        let sessions = try await WorkerAnswers<SessionInfo>(from: connection, daemon)
        let listed = sessions.items.map { SessionListing($0, user: UserName.of) }
        let isEmpty = listed.isEmpty && sessions.failures.isEmpty
        try StandardOutput.put(
            listed, asJSON: json,
            or: isEmpty
                ? [SessionListing.none].wrapped(in: TextTable.room)
                : SessionListing.lines(of: listed, in: TextTable.room))
        return sessions.reportFailures()
    }
}

struct Apps: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Lists the apps that the daemon hosts.",
        discussion: """
            An app is idle until a front asks for it, degraded if it died too often, and stopped \
            after `stop`. No worker is asked: the output is what the daemon knows. VERSION comes \
            from the manifest, or is - if that has none; KEEPS is what durable sessions survive: \
            machine (a power cut), process (the death of any process), or - while none is stored. \
            FROM is the app's manifest, or - if that is gone, or if the app is hosted in its own \
            program. If an app may have several workers, a line for each follows; its name, such \
            as till~2, is accepted wherever an app's is. An app whose manifest is refused is \
            listed as broken. Below the table are the reason, how an app's last worker died, and \
            whether a running program has been replaced by a newer one on disk.

              napkin-client apps
              napkin-client apps --json | jq -r '.[] | select(.state == "broken") | .error'
            """)

    @Flag(help: "Print a JSON array.")
    var json = false

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let apps: [AppInfo] = try await daemon.ask(.apps)
        var table = TextTable(
            "APP", "VERSION", "STATE", "PID", "SESSIONS", "CRASHES", "KEEPS", "FROM")
        for app in apps {
            table.add(
                app.app, app.version ?? "-", app.state.rawValue,
                app.pid.map { "\($0)" } ?? "-", "\(app.sessions)", "\(app.crashes)",
                app.keeps, app.manifest ?? "-")
            for worker in app.workers ?? [] {
                table.add(
                    "  " + worker.worker, "", worker.state.rawValue,
                    worker.pid.map { "\($0)" } ?? "-",
                    "\(worker.sessions)", "\(worker.crashes)", "", "")
            }
        }
        let errors = apps.compactMap { app in app.error.map { "\(app.app): \($0)" } }
        let deaths = apps.compactMap { app in
            app.lastDeath.map { "\(app.app): its last worker died: \($0)" }
        }
        let losses = apps.compactMap { app in app.loss.map { "\(app.app): \($0)" } }
        let outdated = apps.filter { $0.isOutdated == true }.map { app in
            "\(app.app): newer on disk than what runs: `napkin-client upgrade \(app.app)`"
        }
        let listed =
            apps.isEmpty
            ? [SessionList.noApp]
            : table.lines(
                in: TextTable.room, leavingOut: ["FROM", "VERSION", "KEEPS", "CRASHES", "PID"])
        try StandardOutput.put(
            apps, asJSON: json, or: listed + errors + deaths + losses + outdated)
        return 0
    }
}
