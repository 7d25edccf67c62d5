// Control: the commands that start, stop, restart and upgrade an app, or napkind itself.
//
// Spec       Protocol/TOOLS.md, section 3 (Apps)

import ArgumentParser
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Start: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Starts an app's workers, even after `stop`.",
        discussion: """
            Returns once they are running and registered: one worker, all of {"workers": n}, or \
            those of the sessions that the manifest names. A degraded app is retried at once. \
            Running workers are not affected.

              napkin-client start rib-house
            """)

    @OptionGroup var control: ControlOptions

    func perform() async throws(ClientFailure) -> Int32 {
        try await control.perform(.start, force: false)
    }
}

struct Stop: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends an app's workers and starts none until `start`.",
        discussion: """
            Handlers finish, and fronts are told. Attached fronts wait and come back after \
            `start`; others are refused until then, with status 69. An app stays stopped when \
            napkind restarts, until the user's runtime directory is emptied, as at boot.

            Durable sessions are kept. Others end with their workers: if there are any, nothing \
            happens without --force; they are counted, and the status is 1.

              napkin-client stop rib-house || napkin-client stop rib-house --force
            """)

    @Flag(help: "Also end sessions that are not durable.")
    var force = false

    @OptionGroup var control: ControlOptions

    func perform() async throws(ClientFailure) -> Int32 {
        try await control.perform(.stop, force: force)
    }
}

struct Restart: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends an app's workers and starts new ones.",
        discussion: """
            The new workers use the program and the manifest as they are now. Sessions that run \
            without a front are reopened, as is a session with a process to itself; others are \
            reopened when a front returns to them, which fronts do by themselves. The state of \
            sessions that are not durable is lost. If there are any, nothing happens without \
            --force: they are counted, and the status is 1. If the new program does not come up, \
            the status is 69; `upgrade` tries it beforehand.

            `restart napkind` restarts the daemon alone: workers, sessions and fronts keep \
            running. If nothing else starts it, this client does, with its former options, \
            environment and directory. It first tries the program next to the running daemon: if \
            that does not come up, the daemon keeps running, and the status is 69.

              napkin-client restart rib-house --force
              napkin-client restart napkind
            """)

    @Flag(help: "Also end sessions that are not durable.")
    var force = false

    @OptionGroup var control: ControlOptions

    func perform() async throws(ClientFailure) -> Int32 {
        try await control.perform(.restart, force: force)
    }
}

struct Upgrade: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Switches an app to its new program, if that comes up.",
        discussion: """
            `apps` says when a program on disk is newer than the running one. The new one is first \
            tried next to the old one, without a session: it must register, its contract must fit \
            the attached fronts, and its durable states must be able to read what sessions have \
            stored. If not, the old one keeps running, and the status is 69, or 76 if the contract \
            or the states do not fit. Then the app is restarted, as by `restart`: only with \
            --force if sessions would end. Without it, this is then only a rehearsal. Attached \
            fronts come back with their own program: leave and attach again for a newer one.

            States are compared if the app lists them in `durableStates` and a worker of the old \
            program runs. Others are read only when their sessions are opened: a session that \
            cannot be restored is kept, and refuses fronts.

            `upgrade napkind` is `restart napkind`.

              napkin-client upgrade counter
              napkin-client upgrade counter --force
            """)

    @Flag(help: "End the old program's sessions that are not durable.")
    var force = false

    @OptionGroup var control: ControlOptions

    func perform() async throws(ClientFailure) -> Int32 {
        try await control.perform(.upgrade, force: force)
    }
}

struct ControlOptions: ParsableArguments, Sendable {
    /// The time limit for a query. Chosen: longer than a trial, a drain and a start together.
    private static let patience = Duration.seconds(60)
    /// The time limit for a successor that this client does not start. Chosen: a supervisor starts
    /// it at once.
    private static let succession = Duration.seconds(5)
    /// The time between two attempts to find the next napkind. Chosen: nobody notices it.
    private static let interval = Duration.milliseconds(20)

    @Argument(help: "The app's name; `napkin-client apps` lists them.", completion: .apps)
    var app: String

    @OptionGroup var options: ReportOptions

    @MainActor
    func perform(_ action: ControlAction, force: Bool) async throws(ClientFailure) -> Int32 {
        let isDaemon = app == DaemonProgram.name
        // The program to try is on that machine.
        if isDaemon, options.daemon.host != nil {
            try options.daemon.goThere([action.rawValue, app] + (options.json ? ["--json"] : []))
        }
        let connection = try await options.daemon.connect()
        defer { connection.close() }
        let launcher = isDaemon ? try await triedLauncher(connection) : nil
        let outcome: ControlOutcome = try await options.daemon.ask(
            .control(app: app, action: action, force: force ? true : nil), of: connection,
            within: Self.patience)
        if isDaemon {
            return try await report(try await successor(of: connection.welcome.pid, launcher))
        }
        guard outcome.result == .unforced else {
            let sentence = try await sentence(action, outcome, connection)
            try put(outcome, sentence)
            return 0
        }
        let count = try await fronts(connection)
        try put(outcome, nil)
        throw .failed(ControlReport.warning(app, action, outcome, fronts: count))
    }

    @MainActor
    private func sentence(
        _ action: ControlAction, _ outcome: ControlOutcome, _ connection: DaemonConnection
    ) async throws(ClientFailure) -> String {
        if action == .stop {
            let apps: [AppInfo] = try await options.daemon.ask(.apps, of: connection)
            guard apps.contains(where: { $0.app == app && $0.state == .stopped }) else {
                return ControlReport.gone(app, outcome)
            }
        }
        return ControlReport.sentence(app, action, outcome)
    }

    @MainActor
    private func put(_ outcome: ControlOutcome, _ sentence: String?) throws(ClientFailure) {
        if options.json { return try StandardOutput.put(try JSONOutput.line(of: outcome)) }
        if let sentence { try StandardOutput.put(lines: [sentence]) }
    }

    /// Counts the fronts of the sessions that would end; `nil` if a worker does not answer.
    @MainActor
    private func fronts(_ connection: DaemonConnection) async throws(ClientFailure) -> Int? {
        let listed: [AppInfo] = try await options.daemon.ask(.apps, of: connection)
        var count = 0
        for name in listed.first(where: { $0.app == app })?.workerNames ?? [] {
            do throws(FrontError) {
                let sessions: [SessionInfo] = try await connection.query(.sessions(app: name))
                count += sessions.filter { $0.durability == nil }
                    .reduce(0) { $0 + $1.fronts.count }
            } catch {
                return nil
            }
        }
        return count
    }

    // MARK: - napkind itself

    /// Tries whether the new program starts as far as the old one's lock. Returns how to start it;
    /// `nil` if somebody else starts it.
    @MainActor
    private func triedLauncher(
        _ connection: DaemonConnection
    ) async throws(ClientFailure) -> DaemonLauncher? {
        let own = try options.daemon.address().launcher
        var launcher = own ?? DaemonProgram.launcher
        let pid = connection.welcome.pid
        let former = FormerDaemon(pid)
        // Its supervisor may run another program, such as one that hosts its app itself.
        if own == nil, launcher.obstacle != nil || former?.program != app { return nil }
        if let former {
            launcher.arguments = former.arguments
            launcher.environment = former.environment
            launcher.directory = former.directory
        } else {
            ClientFailure.say(
                "\(app): nobody may see how process \(pid) was started: the next one gets no "
                    + "options, and this shell's environment")
        }
        let status: DaemonStatus = try await options.daemon.ask(.status, of: connection)
        launcher.logPath = "\(status.stateDirectory)/\(app).log"
        do throws(FrontError) {
            try await launcher.start()
        } catch {
            throw .unavailable(
                "\(app): the new program does not come up, so process \(pid) keeps running: "
                    + error.message)
        }
        return own == nil ? nil : launcher
    }

    /// Returns the welcome of the next napkind, which is started if the options allow that.
    @MainActor
    private func successor(
        of pid: Int32, _ launcher: DaemonLauncher?
    ) async throws(ClientFailure) -> Welcome {
        let start = ContinuousClock.now
        while true {
            do throws(ClientFailure) {
                let connection = try await options.daemon.connect(with: launcher)
                defer { connection.close() }
                if connection.welcome.pid != pid { return connection.welcome }
            } catch  where ContinuousClock.now - start < Self.succession {
                // systemd or another supervisor may still start it.
            } catch {
                throw .unavailable(
                    "\(app) has ended, but no successor has been started; its workers keep "
                        + "running and wait for one")
            }
            await LoopTimer.wait(Self.interval)
        }
    }

    @MainActor
    private func report(_ welcome: Welcome) async throws(ClientFailure) -> Int32 {
        let outcome = ControlOutcome(.done, pids: [welcome.pid])
        try put(outcome, "\(app): \(welcome.server) runs as process \(welcome.pid)")
        return 0
    }
}

enum ControlReport {
    static func sentence(
        _ app: String, _ action: ControlAction, _ outcome: ControlOutcome
    ) -> String {
        let processes = outcome.pids.map { "\($0)" }.joined(separator: ", ")
        let runs =
            outcome.pids.isEmpty
            ? "no session needs a process yet"
            : "process \(processes)"
        let ended = ended(outcome)
        switch (action, outcome.result) {
        case (.stop, .unchanged): return "\(app): already stopped"
        case (.stop, _):
            return "\(app): stopped\(ended); `napkin-client start \(app)` starts it again"
        case (.start, .unchanged): return "\(app): already running, \(runs)"
        case (.start, _): return "\(app): started, \(runs)"
        case (.upgrade, .unchanged): return "\(app): already runs what is on disk, \(runs)"
        case (.upgrade, _): return "\(app): upgraded, \(runs)\(ended)"
        case (.drain, _): return "\(app): drained\(ended)"
        case (.restart, _): return "\(app): restarted, \(runs)\(ended)"
        }
    }

    /// Returns the sentence for an app that was stopped and cannot be started again.
    static func gone(_ app: String, _ outcome: ControlOutcome) -> String {
        "\(app): stopped\(ended(outcome)); it has no valid manifest and is not started again"
    }

    private static func ended(_ outcome: ControlOutcome) -> String {
        outcome.sessions > 0 ? "; \(outcome.sessions.counted("session")) ended" : ""
    }

    /// - Parameter fronts: the number of attached fronts; `nil` if unknown.
    static func warning(
        _ app: String, _ action: ControlAction, _ outcome: ControlOutcome, fronts: Int?
    ) -> String {
        let watched =
            switch fronts {
            case nil: ", whose worker does not answer"
            case 0: ", which no front shows"
            case .some(let count):
                ", which \(count.counted("front")) \(count == 1 ? "shows" : "show")"
            }
        let words =
            "`\(action.rawValue)` would end \(outcome.sessions.counted("session"))\(watched), and "
            + "the state would be lost"
        let advice = "`napkin-client \(action.rawValue) \(app) --force` does it"
        guard action == .upgrade else { return "\(app): \(words); \(advice)" }
        return "\(app): the new program comes up, and its contract fits; \(words); \(advice)"
    }
}
