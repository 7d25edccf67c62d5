// Checkup: the state and the problems of everything that runs.

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Checkup {
    /// The daemon's report about itself.
    struct Daemon: Encodable {
        var server: String
        var pid: Int32
        /// The version that both sides speak.
        var `protocol`: String
        var seconds: Int?
        var bytes: Int?
        var stateDirectory: String
        var ledger: String?
        /// The machine's name in the cluster of that database.
        var machine: String?
        var logLevel: String
    }

    /// Absent if none answers.
    private(set) var daemon: Daemon?
    private(set) var apps: [AppInfo] = []
    private(set) var sessions: [SessionInfo] = []
    /// Absent if no daemon answers, or on another machine.
    private(set) var programs: [HeldListing] = []
    private(set) var checks: [Check] = []
    /// The failure that decides the exit status if no daemon answers.
    private var failure: ClientFailure?

    var problems: [Check] { checks.filter { $0.verdict == .problem } }

    /// 0 if all is well; the client's status for a daemon that does not answer; otherwise 1.
    var status: Int32 { failure?.status ?? (problems.isEmpty ? 0 : ExitTable.failed) }

    /// Checks everything. Never starts a daemon.
    @MainActor
    init(_ options: DaemonOptions) async throws(ClientFailure) {
        _ = try options.address(spawns: false)
        do throws(ClientFailure) {
            let connection = try await options.connect(spawns: false)
            defer { connection.close() }
            try await ask(connection, options)
        } catch {
            failure = error
            checks.append(try Self.check(error, options))
        }
        // The held programs are this machine's.
        if let daemon, options.host == nil {
            programs = HeldListing.all(in: daemon.stateDirectory)
            // A worker that does not answer may have any session.
            let isWhole = !checks.contains { $0.verdict == .problem }
            let names = isWhole ? sessions.map(\.session) : nil
            checks += programs.compactMap { $0.check(among: names) }
        }
        if options.host == nil { checks += try LocalChecks(options, daemon, apps).all }
        if options.host == nil, options.socket == nil { checks.append(await Self.checkProgram()) }
    }

    @MainActor
    private static func checkProgram() async -> Check {
        do throws(FrontError) {
            try await DaemonProgram.launcher.checkProgram()
            return .fine("napkind", "its program starts")
        } catch {
            return .problem("napkind", error.message, do: "install it again")
        }
    }

    @MainActor
    private mutating func ask(
        _ connection: DaemonConnection, _ options: DaemonOptions
    ) async throws(ClientFailure) {
        let welcome = connection.welcome
        checks.append(Self.check(welcome))
        let status: DaemonStatus = try await options.ask(.status, of: connection)
        daemon = Daemon(
            server: welcome.server, pid: welcome.pid, protocol: "\(welcome.version)",
            seconds: status.seconds, bytes: status.bytes, stateDirectory: status.stateDirectory,
            ledger: status.ledger, machine: status.machine, logLevel: status.logLevel)
        if let machine = status.machine {
            checks.append(
                status.clusterError.map { Self.check(machine, $0) }
                    ?? .fine("machine \(machine)", "its cluster's database answers"))
        }
        for directory in status.unwatched ?? [] {
            checks.append(
                .problem(
                    directory, "manifests added, changed or removed here are noticed late",
                    do: DaemonStatus.watchRemedy))
        }
        let gathered = try await WorkerAnswers<SessionInfo>(from: connection, options)
        (apps, sessions) = (gathered.apps + gathered.broken, gathered.items)
        checks += apps.map { Self.check($0, welcome) } + apps.compactMap(Self.loss)
        checks += sessions.compactMap(Self.check)
        for (app, failure) in gathered.failures {
            // Processes of another machine cannot be examined: the message lists possible causes.
            let pids = options.host == nil ? apps.first { $0.app == app }?.pids ?? [] : []
            let paused = pids.first { ProcessStatus(of: $0)?.isPaused == true }
            checks.append(Self.check(app, failure, heldAt: paused))
        }
    }

    /// - Parameter held: the worker's process, if somebody has stopped it.
    static func check(_ app: String, _ failure: ClientFailure, heldAt held: Int32?) -> Check {
        let stopped = held.map { pid in
            "it is stopped, and is not ended for its silence: `kill -CONT \(pid)` continues it"
        }
        let advice =
            stopped
            ?? "its worker is ended if it does not answer for the time in its manifest's `hang`; "
            + "`napkin-client logs \(app)` shows what it does"
        return .problem(app, failure.message, do: advice)
    }

    private static func check(
        _ failure: ClientFailure, _ options: DaemonOptions
    ) throws(ClientFailure) -> Check {
        let path = try options.path()
        // If the path cannot be probed, the failure gives the reason.
        let occupant = options.host == nil ? try? SocketPath(path).probe() : nil
        if options.socket == nil, occupant == .absent || occupant == .stale {
            return .note(
                "napkind", "none runs at \(path): the first command that needs it starts it")
        }
        let advice =
            switch occupant {
            case .alive: "what listens there has to answer or to end: no other one can be started"
            case .notASocket: "move that file away: napkind cannot listen there"
            case _ where options.socket == nil: "`napkin-client apps` starts one where none runs"
            default: "start it there: with --socket no client does"
            }
        return .problem("napkind", failure.message, do: advice)
    }

    /// - Parameter failure: why the cluster's database could not be queried.
    private static func check(_ machine: String, _ failure: String) -> Check {
        .problem(
            "machine \(machine)", failure,
            do: "`psql` with the same service says more; fronts find running sessions, and others "
                + "when the database answers")
    }

    static func check(_ welcome: Welcome) -> Check {
        let own = NapkinVersion.text
        guard welcome.server != "napkind \(own)" else { return .fine("napkind", "it answers") }
        return .problem(
            "napkind", "it is \(welcome.server), but this client is \(own)",
            do: "`napkin-client restart napkind` starts the installed one; sessions go on")
    }

    static func check(_ session: SessionInfo) -> Check? {
        guard let defect = session.defect else { return nil }
        let name = session.session
        let way =
            session.isDamaged == true
            ? "a backup may have it whole; `napkin-client ledger verify \(session.app)` says what "
                + "is damaged, `napkin-client ledger salvage` saves what was before"
            : "a version of \(session.app) that reads it restores it"
        return .problem(
            "session \(name)", "it is kept and cannot be restored: \(defect)",
            do: "\(way); `napkin-client kill \(name)` deletes it")
    }

    static func loss(of app: AppInfo) -> Check? {
        app.loss.map {
            .problem(
                app.app, $0,
                do: "put a backup of the journal in its place while `\(app.app)` is stopped, or "
                    + "`napkin-client restart \(app.app)` if nobody needs them")
        }
    }

    static func check(_ app: AppInfo, _ welcome: Welcome) -> Check {
        let name = app.app
        if let error = app.error {
            // A missing manifest was removed on purpose; a refused one keeps the app from starting.
            return app.manifest == nil
                ? .note(name, error)
                : .problem(name, error, do: "fix it: napkind notices the change")
        }
        let death = app.lastDeath.map { ": \($0)" } ?? ""
        let logs = "`napkin-client logs \(name)` shows what it said"
        switch app.state {
        case .degraded:
            return .problem(
                name, "no more workers are started: \(app.lastDeath ?? "it died too often")",
                do: "\(logs); `napkin-client start \(name)` tries again")
        case .stopped:
            return .note(name, "it was stopped", do: "`napkin-client start \(name)` starts it")
        case .restarting:
            return .problem(name, "its worker has died and is being restarted\(death)", do: logs)
        case _ where app.isOutdated == true:
            return .note(
                name, "its program on disk is newer than the running one",
                do: "`napkin-client upgrade \(name)` tries the new one, then switches to it")
        case _ where app.napkin != nil:
            return .note(
                name,
                "its worker is of napkin \(app.napkin ?? ""), and the daemon is \(welcome.server)",
                do: "rebuild and install the app; then `napkin-client upgrade \(name)`")
        case _ where app.crashes > 0:
            let times = app.crashes == 1 ? "once" : "\(app.crashes) times"
            return .note(name, "a worker has died \(times)\(death)", do: logs)
        case let state: return .fine(name, "\(state)")
        }
    }
}

// MARK: - Output

extension AppInfo {
    /// The durability of the app's sessions, and their place if that is not files.
    var keeps: String {
        guard let durability else { return "-" }
        return ledger.map { "\(durability), \($0)" } ?? durability
    }
}

extension Checkup: Encodable {
    private enum Key: String, CodingKey { case well, daemon, apps, sessions, programs, checks }

    func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: Key.self)
        try object.encode(problems.isEmpty, forKey: .well)
        try object.encodeIfPresent(daemon, forKey: .daemon)
        try object.encode(apps, forKey: .apps)
        try object.encode(sessions.map { SessionListing($0, user: UserName.of) }, forKey: .sessions)
        try object.encode(programs, forKey: .programs)
        try object.encode(checks, forKey: .checks)
    }

    /// Returns the lines in this many cells: first the state, then the notes and problems.
    func lines(in room: Int) -> [String] {
        let worthKnowing = checks.filter { $0.verdict != .fine }
        return (daemon.map { overview($0, in: room) } ?? [])
            + worthKnowing.flatMap { $0.lines(in: room) }
            + (daemon != nil && problems.isEmpty ? ["all is well"] : [])
    }

    /// Returns the number of the sessions' fronts; `?` if one could not be asked.
    private static func fronts(of sessions: [SessionInfo]) -> String {
        sessions.contains { $0.silence != nil }
            ? "?" : "\(sessions.reduce(0) { $0 + $1.fronts.count })"
    }

    private func overview(_ daemon: Daemon, in room: Int) -> [String] {
        let age = daemon.seconds.map { ", for \(Quantity.age($0))" } ?? ""
        let memory = daemon.bytes.map { ", \(Quantity.bytes($0))" } ?? ""
        var table = TextTable(
            "APP", "STATE", "PID", "AGE", "RSS", "SESSIONS", "FRONTS", "CRASHES", "KEEPS")
        for app in apps {
            let own = sessions.filter { $0.app == app.app }
            table.add(
                app.app, app.state.rawValue, app.pid.map { "\($0)" } ?? "-",
                app.seconds.map(Quantity.age) ?? "-", app.bytes.map(Quantity.bytes) ?? "-",
                "\(own.count)", Self.fronts(of: own), "\(app.crashes)", app.keeps)
            for worker in app.workers ?? [] {
                let held = own.filter { $0.pid == worker.pid }
                table.add(
                    "  " + worker.worker, worker.state.rawValue,
                    worker.pid.map { "\($0)" } ?? "-", worker.seconds.map(Quantity.age) ?? "-",
                    worker.bytes.map(Quantity.bytes) ?? "-", "\(held.count)",
                    Self.fronts(of: held), "\(worker.crashes)", "")
            }
        }
        let heading = [
            "\(daemon.server), process \(daemon.pid)\(age)\(memory), logs from \(daemon.logLevel)",
            "state in \(daemon.stateDirectory)"
                + (daemon.ledger.map { ", durable sessions in \($0)" } ?? "")
                + (daemon.machine.map { ", as the machine \($0)" } ?? ""),
        ]
        return heading.wrapped(in: room) + [""]
            + (apps.isEmpty
                ? [SessionList.noApp].wrapped(in: room)
                : table.lines(
                    in: room, leavingOut: ["AGE", "RSS", "KEEPS", "CRASHES", "PID", "FRONTS"]))
            + [""] + heldPrograms(in: room)
    }

    private func heldPrograms(in room: Int) -> [String] {
        var table = TextTable("PROGRAM", "SESSION", "STATE", "PID", "OUTPUT", "COMMAND")
        for program in programs {
            table.add(
                program.key, program.session, program.state.rawValue,
                program.pid.map { "\($0)" } ?? "-", Quantity.bytes(Int(clamping: program.output)),
                program.command)
        }
        return programs.isEmpty ? [] : table.lines(in: room, leavingOut: ["OUTPUT", "PID"]) + [""]
    }
}
