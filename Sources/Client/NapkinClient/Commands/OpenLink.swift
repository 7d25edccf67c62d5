// OpenLink: the command that makes an app open a URL and waits until it is open.

import ArgumentParser
import NapkinCore
import NapkinProtocol
import NapkinTransport

struct OpenLink: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens a URL in an app and waits until it is open.",
        discussion: """
            The app follows the URL step by step, in its worker. A step may wait for something \
            that only happens in a front, such as a login: this command then waits as well, as \
            long as it takes or --timeout allows. Ctrl-C, or any other end of this program, \
            cancels the remaining steps. The session is created if missing; if the URL then cannot \
            be opened, it ends again, unless a front has attached meanwhile.

              napkin-client open rib-house ribhouse://pit-board
              napkin-client open rib-house ribhouse://pit-board --timeout 30
              napkin-client open rib-house ribhouse://pit-board --json

            Each step is a line: its number, its name and its outcome. With --json it is \
            {"t":"step","step":1,"of":2,"name":…,"state":…} with the states waiting (its part of \
            the app is not active yet), running, done, failed and cancelled; the last line, and \
            only that, is {"t":"end","outcome":…}.

            Exit status: 0 opened; 1 a step failed; 65 the text is not a URL; 66 no such app, or \
            it does not know the URL; 69 no daemon, or the session was killed; 74 the worker died; \
            75 timed out or cancelled; 76 the daemon is too old.
            """)

    /// The longest time-out. Chosen: a year; more is a mistake in the unit.
    static let timeoutSecondsMax = 31_536_000.0

    @Argument(help: "The app's name; `napkin-client apps` lists them.", completion: .apps)
    var app: String

    @Argument(help: "The URL; an unknown one lists the known.")
    var url: String

    @Option(
        help: ArgumentHelp("The session's name. Default: the app's.", valueName: "name"),
        completion: .sessions)
    var session: String?

    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Option(help: ArgumentHelp("Give up after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard let timeout else { return }
        guard timeout > 0, timeout <= Self.timeoutSecondsMax else {
            throw ValidationError("--timeout takes seconds, more than 0 and at most a year")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let printer = LinkPrinter(isJSON: json)
        let opening = LinkOpening(
            app: app, session: session, url: url, timeout: timeout.map { .seconds($0) }
        ) { step in
            printer.show(step)
        }
        printer.onFailure = { opening.stop(.outputClosed($0)) }
        let end = await opening.run(asking: daemon)
        do throws(ClientFailure) {
            try printer.finish(end)
        } catch {
            // The failure of the URL itself says more than a failed write.
            throw end.failure ?? error
        }
        if let failure = end.failure { throw failure }
        return 0
    }
}

/// Writes the progress, as text or as lines of JSON; the last line is the end.
@MainActor
final class LinkPrinter {
    private let isJSON: Bool
    private lazy var output = StandardOutput { [weak self] in self?.onFailure($0.message) }
    /// Called once, with the reason, when output has become impossible.
    var onFailure: (String) -> Void = { _ in }

    init(isJSON: Bool) {
        self.isJSON = isJSON
    }

    func show(_ step: WorkflowStep) {
        output.write(isJSON ? Self.line(step).printable : PrintableText(line: Self.text(step)))
    }

    /// Throws if some output could not be written.
    func finish(_ end: LinkEnding) throws(ClientFailure) {
        if isJSON {
            let line = ControlLine("end").adding("outcome", end.outcome)
            output.write(line.adding("message", end.failure?.message).printable)
        } else if end.failure == nil {
            output.write("open\n")
        }
        try output.finish()
    }

    /// Returns `1/2 wait for login: running`.
    nonisolated static func text(_ step: WorkflowStep) -> String {
        let text = "\(step.step)/\(step.of) \(step.name): \(step.state)"
        return step.message.map { "\(text) (\($0))" } ?? text
    }

    static func line(_ step: WorkflowStep) -> ControlLine {
        ControlLine("step").adding("step", step.step).adding("of", step.of)
            .adding("name", step.name).adding("state", step.state)
            .adding("message", step.message)
    }
}
