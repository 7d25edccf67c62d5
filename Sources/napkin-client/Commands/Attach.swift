// Attach: the command that shows a session: on a terminal, as text, or as lines of JSON.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import Glibc
import NapkinCore
import NapkinFront
import NapkinTerminal
import RibHouseFront

struct Attach: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a session of an app, and drives it.",
        discussion: """
            The session is made if it is not there. Leaving it ends nothing: attach again, from \
            here or from another terminal, also with several fronts at once.

              napkin-client attach rib-house
              napkin-client attach rib-house --session lunch
              napkin-client attach rib-house --plain | tee screen.txt
              napkin-client attach rib-house --take-over    from here on I am alone with it
              napkin-client attach rib-house --read-only    look, and change nothing

            On a terminal the keys are shown at the bottom; q and Ctrl-C leave. Where \
            no screen can be drawn, the plain one is written. NAPKIN_THEME is dark, light or \
            plain; with NO_COLOR there are no colours.

            With --control, standard output has one JSON object a line (welcome, mount, state, \
            effect, unmount, ask, askEnded, reply, refused, disconnected, resumed, skipped, \
            renamed, detached), and standard input takes:

              {"t":"event","id":1,"feature":"rib-house.logged-out",
               "method":"didTapLogin()","args":[]}                 on one line
              {"t":"answer","id":7,"value":true}
              {"t":"detach"}

            The end of the input detaches when the events before it have been answered.

            Leaving ends with status 0, and so does being detached by another client \
            (`napkin-client detach`, or --take-over): standard error, or the line \
            {"t":"detached","reason":…}, says so.
            """)

    @Argument(help: "The app's name; `napkin-client apps` lists them.")
    var app: String

    @Option(help: ArgumentHelp("The session's name. Default: the app's.", valueName: "name"))
    var session: String?

    @Flag(help: "Write the screen as text whenever it changes.")
    var plain = false

    @Flag(help: "Speak JSON, one object a line.")
    var control = false

    @Flag(help: "Look only: events are refused, questions are not asked here.")
    var readOnly = false

    @Flag(help: "Detach the session's other fronts; they are told, and end.")
    var takeOver = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if plain, control {
            throw ValidationError("--plain and --control exclude each other")
        }
    }

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let component = TerminalComponent()
        // A pipe is no screen to draw on, and neither is a `dumb` terminal.
        let canDraw = isatty(STDOUT_FILENO) != 0 && component.canMoveCursor
        let registry = ViewRegistry(component: component)
        if !control { RibHouseViews.register(in: registry) }
        let options = FrontOptions(
            app: app, session: session, isReadOnly: readOnly, client: NapkinClient.name,
            wantsSchema: true, answersAsks: control || (!plain && canDraw), takesOver: takeOver)
        let run = FrontRun(
            Front(at: try daemon.address(), options: options, registry: registry))
        do throws(ClientFailure) {
            if control {
                try await controlled(run)
            } else if plain || !canDraw {
                try await printed(run, component)
            } else {
                try await interactive(run, component)
            }
        } catch  where error.isDetachment {
            // As after leaving: the session goes on, and nothing has gone wrong here.
            error.report()
        }
        return 0
    }

    @MainActor
    private func controlled(_ run: FrontRun) async throws(ClientFailure) {
        let output = StandardOutput { run.fail(.outputClosed) }
        let surface = ControlFront(front: run.front, output: output) { run.quit() }
        defer { output.finish() }
        do throws(ClientFailure) {
            try await run.run()
        } catch {
            if error.isDetachment {
                surface.detached(because: error.message)
            } else if run.front.attached != nil {
                surface.ended(because: error.message)
            }
            throw error
        }
    }

    @MainActor
    private func printed(
        _ run: FrontRun, _ component: TerminalComponent
    ) async throws(ClientFailure) {
        let output = StandardOutput { run.fail(.outputClosed) }
        let screen = PlainScreen(front: run.front, component: component) { output.write($0) }
        defer {
            if run.front.attached != nil { screen.flush() }
            output.finish()
        }
        try await run.run()
    }

    @MainActor
    private func interactive(
        _ run: FrontRun, _ component: TerminalComponent
    ) async throws(ClientFailure) {
        guard isatty(STDIN_FILENO) != 0 else {
            throw ClientFailure(
                ExitTable.usage,
                "standard input is no terminal, so that no key can be read: use --plain to look "
                    + "only, or --control to send events")
        }
        let screen = TerminalScreen(front: run.front, component: component) { error in
            if let error {
                run.fail(ClientFailure(ExitTable.usage, "\(error)"))
            } else {
                run.quit()
            }
        }
        defer { screen.close() }
        Anomaly.onReport { anomaly in
            Task { @MainActor in screen.notify("\(anomaly.sentence)") }
        }
        try await run.run()
    }
}

extension ClientFailure {
    fileprivate static let outputClosed = ClientFailure(
        ExitTable.ioError, "standard output was closed; detached, the session goes on")
}

extension Anomaly {
    /// What a person at the screen is told.
    fileprivate var sentence: String {
        switch self {
        case .eventFailed(_, _, let fault): fault.message
        case .unreadableArguments(let feature, let error): "\(feature) cannot be shown: \(error)"
        case .unpresentable(let feature, let reason): "\(feature) cannot be shown: \(reason)"
        default: "\(self)"
        }
    }
}
