// Attach: the command that shows a session: on a terminal, as text, or as lines of JSON.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

struct Attach: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a session, by its app or its name, and drives it.",
        discussion: """
            Starts the app's own front if its manifest names one; otherwise shows the app by its \
            contract. An app's session is created if missing, except by --read-only; a name that \
            is not an app's must be that of an existing session. Leaving ends nothing: attach \
            again, from here or from another terminal, even with several fronts at once. Without a \
            name, shows the dashboard, in which Enter attaches. Ctrl-O returns to it from any \
            session.

              napkin-client attach
              napkin-client attach rib-house
              napkin-client attach rib-house --session lunch
              napkin-client attach lunch                    an existing session
              napkin-client attach rib-house --plain | tee screen.txt
              napkin-client attach rib-house --take-over    detach all other fronts
              napkin-client attach rib-house --read-only    watch only
              napkin-client attach --read-only              a dashboard that only watches

            On a terminal, the keys are shown at the bottom; q and Ctrl-C quit. If no screen can \
            be drawn, it is written as text whenever it changes, which --plain also does, for \
            screen readers and pipes. Input is then read by lines, from a terminal or a pipe: a \
            key's name (r, Enter, Ctrl-R), the name of a button, a row, a tab or an event, or \
            NAME = VALUE for a field, a switch or a choice; an empty line writes the screen again, \
            ? lists what can be entered, and the end of the input leaves. \
            NAPKIN_THEME is dark, light, high-contrast or plain (default: by the terminal's \
            background); NO_COLOR means no colours. NAPKIN_MOUSE=0 leaves the mouse to the \
            terminal. NAPKIN_BELL is bell, osc9, osc777 (a notification as well) or off.

            With --control, standard output has one JSON object per line (welcome, mount, state, \
            effect, item, gap, unmount, ask, askEnded, reply, refused, waiting, answering, \
            disconnected, resumed, skipped, renamed, detached), and standard input takes:

              {"t":"event","id":1,"feature":"rib-house.logged-out",
               "method":"didTapLogin()","args":[]}                 on one line
              {"t":"answer","id":7,"value":true}
              {"t":"detach"}

            At the end of the input, the front detaches once the events before it have been \
            answered. A line has at most 1 MiB (1048576 bytes). A longer one is refused, with its \
            id if that is complete within the first MiB, else null, and reading continues with the \
            next line.

            The status is 0 after leaving and after being detached by another client \
            (`napkin-client detach`, or --take-over): standard error, or the line \
            {"t":"detached","reason":…}, says so.
            """)

    @Argument(
        help:
            "A name that `napkin-client apps` or `napkin-client ls` lists. Default: ask.",
        completion: .sessionsAndApps)
    var name: String?

    @Option(
        help: ArgumentHelp("The session's name. Default: the app's.", valueName: "name"),
        completion: .sessions)
    var session: String?

    @Flag(help: "Write the screen as text whenever it changes, and take lines.")
    var plain = false

    @Flag(help: "Speak JSON, one object per line.")
    var control = false

    @Flag(help: "Watch only: events are refused, and questions are not asked here.")
    var readOnly = false

    @Flag(
        help: ArgumentHelp(
            "Detach the session's other fronts; they are told and end.",
            discussion: "Applies to the first session only, not to others chosen from the list."))
    var takeOver = false

    @Option(
        help: ArgumentHelp(
            "Show what this front of the session shows, including its pages; watch only.",
            discussion: "`ls` names the fronts by number. Ends when that front leaves.",
            valueName: "front"))
    var mirror: UInt64?

    @OptionGroup var person: PersonOption

    @OptionGroup var daemon: DaemonOptions

    /// Whether the person only watches, on the dashboard as well.
    var watchesOnly: Bool { readOnly || mirror != nil }

    func validate() throws {
        if plain, control {
            throw ValidationError("--plain and --control cannot be combined")
        }
        if mirror != nil, takeOver {
            throw ValidationError("--mirror and --take-over cannot be combined")
        }
        if mirror != nil, name == nil {
            throw ValidationError("--mirror needs the app: attach APP --mirror FRONT")
        }
        if session != nil, name == nil {
            throw ValidationError("--session needs the app before it: attach APP --session NAME")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        do throws(ClientFailure) {
            return try await show(name, session)
        } catch {
            // A session may be named without its app.
            guard error.refusal == .unknownApp, let name, session == nil,
                let app = try await daemon.app(ofSession: name)
            else { throw error }
            return try await show(app, name)
        }
    }

    @MainActor
    private func show(_ app: String?, _ session: String?) async throws(ClientFailure) -> Int32 {
        let component = TerminalComponent()
        // Neither a pipe nor a `dumb` terminal can be drawn on.
        let canDraw = isatty(STDOUT_FILENO) != 0 && component.canMoveCursor
        let isInteractive = !plain && !control && canDraw
        guard let app else {
            guard isInteractive, isatty(STDIN_FILENO) != 0 else { throw await missingApp() }
            return try await visit(nil, nil, component)
        }
        guard !isInteractive else { return try await visit(app, session, component) }
        if !control { try await becomeFront(of: app, session) }
        let run = try makeRun(app, session, component)
        do throws(ClientFailure) {
            if control {
                try await controlled(run)
            } else {
                try await printed(run, component)
            }
        } catch  where error.isDetachment {
            // A detachment is like leaving: the session continues, and nothing failed here.
            error.report()
        }
        return 0
    }

    /// Replaces this process with the app's own front, if it has one, with the same arguments.
    @MainActor
    private func becomeFront(of app: String, _ session: String?) async throws(ClientFailure) {
        let words =
            words(app, session, takesOver: takeOver) + (plain ? ["--plain"] : [])
            + (mirror.map { ["--mirror", "\($0)"] } ?? [])
        try await FrontProgram.become(of: app, words, asking: daemon)
    }

    /// Continues as the front of an app that was chosen from the list, if that is another program.
    /// Calls the closure first.
    @MainActor
    func become(
        _ app: String, _ session: String?, _ isFirst: Bool, _ leave: () -> Void
    ) async throws(ClientFailure) {
        try await FrontProgram.become(
            of: app, words(app, session, takesOver: takeOver && isFirst), asking: daemon,
            knowsList: true, leaving: leave)
    }

    /// Returns the arguments that attach another front to a session.
    private func words(_ app: String, _ session: String?, takesOver: Bool) -> [String] {
        ["attach", app] + (session.map { ["--session", $0] } ?? [])
            + (readOnly ? ["--read-only"] : []) + (takesOver ? ["--take-over"] : [])
            + person.words + daemon.words
    }

    @MainActor
    func makeRun(
        _ app: String, _ session: String?, _ component: TerminalComponent,
        isOnScreen: Bool = false, isFirst: Bool = true
    ) throws(ClientFailure) -> FrontRun {
        let registry = ViewRegistry(component: component)
        if !control { ClientSetup.current.registerViews(registry) }
        var options = FrontOptions(
            app: app, session: session, isReadOnly: watchesOnly,
            client: MainCommand.name, wantsSchema: true,
            answersAsks: control || isOnScreen || LineReader.canRead,
            takesOver: takeOver && isFirst)
        options.mirrors = mirror
        options.name = person.name
        return FrontRun(Front(at: try daemon.address(), options: options, registry: registry))
    }

    /// Returns the failure for a missing name. It lists the apps, since no list can be drawn.
    @MainActor
    private func missingApp() async -> ClientFailure {
        var known = ""
        do throws(ClientFailure) {
            let connection = try await daemon.connect(spawns: false)
            defer { connection.close() }
            let apps: [AppInfo] = try await daemon.ask(.apps, of: connection)
            let names = apps.filter { $0.state != .broken }.map(\.app)
            known =
                names.isEmpty
                ? "; none is installed: \(SessionList.firstApp)"
                : ": there are " + names.joined(separator: ", ")
        } catch {
            // The mistake is the missing name, whether or not a daemon runs.
            known = "; `napkin-client apps` lists them"
        }
        return ClientFailure.usage(
            "attach needs the name of an app where it cannot draw a list" + known)
    }

    @MainActor
    private func controlled(_ run: FrontRun) async throws(ClientFailure) {
        let output = StandardOutput { run.fail($0.whileAttached) }
        let surface = ControlFront(front: run.front, output: output) { run.quit() }
        var failure: ClientFailure?
        do throws(ClientFailure) {
            try await run.run()
        } catch {
            failure = error
            if error.isDetachment {
                surface.detached(because: error.message)
            } else if run.front.attached != nil {
                surface.ended(because: error.message)
            }
        }
        try output.finish(after: failure)
    }

    @MainActor
    private func printed(
        _ run: FrontRun, _ component: TerminalComponent
    ) async throws(ClientFailure) {
        let output = StandardOutput { run.fail($0.whileAttached) }
        var begin: () -> Void = {}
        let screen = PlainScreen(
            front: run.front, component: component, takesLines: LineReader.canRead
        ) {
            output.write(PrintableText(lines: $0.wrapped(in: TextTable.room)))
            begin()
        }
        var lines = InputLines()
        lines.keepsBlankLines = true
        let input = LineReader(lines) {
            screen.take($0)
        } ended: {
            screen.finish { run.quit() }
        }
        // Input is read after the first output, so that a script may write at once.
        if LineReader.canRead { begin = { input.start() } }
        defer { input.pause() }
        var failure: ClientFailure?
        do throws(ClientFailure) {
            try await run.run()
        } catch {
            failure = error
        }
        if run.front.attached != nil { screen.flush() }
        try output.finish(after: failure)
    }

    /// Shows a page of the dashboard, as `top` and `tree --watch` do on a terminal.
    ///
    /// - Parameter name: a session or an app; `nil` for all.
    @MainActor
    static func openDashboard(
        _ page: Dashboard.Page, at name: String?, every interval: Double?, _ daemon: DaemonOptions
    ) async throws(ClientFailure) -> Int32 {
        var attach = parseOrExit([])
        attach.daemon = daemon
        return try await attach.visit(nil, nil, TerminalComponent()) {
            (dashboard: Dashboard) throws(ClientFailure) in
            try await dashboard.open(page, at: name, every: interval.map { .seconds($0) })
        }
    }

    @MainActor
    private func visit(
        _ app: String?, _ session: String?, _ component: TerminalComponent,
        preparing prepare: @MainActor (Dashboard) async throws(ClientFailure) -> Void = {
            (_: Dashboard) throws(ClientFailure) in
        }
    ) async throws(ClientFailure) -> Int32 {
        guard isatty(STDIN_FILENO) != 0 else {
            throw .usage(
                "standard input is not a terminal, so no keys can be read: use --plain to watch "
                    + "only, or --control to send events")
        }
        let visit = try TerminalFront(self, component)
        try await prepare(visit.dashboard)
        if let app { try await becomeFront(of: app, session) }
        do throws(ClientFailure) {
            try await visit.run(app: app, session: session)
        } catch  where error.isDetachment {
            error.report()
        }
        return 0
    }
}

extension DaemonOptions {
    @MainActor
    func app(ofSession name: String) async throws(ClientFailure) -> String? {
        let connection = try await connect()
        defer { connection.close() }
        let sessions = try await WorkerAnswers<SessionInfo>(from: connection, self)
        if let known = sessions.items.first(where: { $0.session == name }) { return known.app }
        return try await storedElsewhere(name, connection)
    }

    /// Returns the app of a session that another machine of the cluster may have.
    @MainActor
    func storedElsewhere(
        _ name: String, _ connection: DaemonConnection
    ) async throws(ClientFailure) -> String? {
        let status: DaemonStatus = try await ask(.status, of: connection)
        guard status.machine != nil else { return nil }
        let cluster: Cluster = try await ask(.cluster(sessions: true, named: name), of: connection)
        return cluster.sessions?.first?.app
    }
}

extension ClientFailure {
    fileprivate var whileAttached: ClientFailure {
        ClientFailure(status, "\(message); detached, the session keeps running")
    }
}

extension PlainScreen {
    fileprivate func take(_ line: InputLines.Line) {
        switch line {
        case .text(let bytes): take(String(decoding: bytes, as: UTF8.self))
        case .beginning: say("a line has more than \(InputLines.bytesMax) bytes")
        }
    }
}

extension StandardOutput {
    /// The front's own failure says more than a failure to write.
    fileprivate func finish(after failure: ClientFailure?) throws(ClientFailure) {
        do throws(ClientFailure) {
            try finish()
        } catch {
            throw failure.flatMap { $0.isDetachment ? nil : $0 } ?? error.whileAttached
        }
        if let failure { throw failure }
    }
}
