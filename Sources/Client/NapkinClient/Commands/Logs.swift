// Logs: the command that prints the output of an app's workers.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

struct Logs: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what an app's workers print.",
        discussion: """
            Their standard output and error, and a line from the daemon for each worker that \
            starts or dies; for a crash, its message and backtrace. The files are APP.log, \
            APP.log.1 and APP.log.2 in the directory log of napkind's state directory, about \
            1 MiB each, and can also be read without a daemon. Only the last 8 MiB are shown.

              napkin-client logs rib-house
              napkin-client logs rib-house --follow
              napkin-client logs rib-house --since 10m
              napkin-client logs rib-house --since 2026-03-01T09:30:00+0000

            --since takes a duration (90s, 10m, 2h), a time of today (09:30), a day, or both, in \
            this machine's time zone unless an offset follows. It shows the first line with a time \
            from then on and all after it: a line without a time belongs to the one before.

            If systemd's journal has the daemon's output, it also has the apps', each under its \
            id, and this command becomes journalctl. An app that is hosted in the daemon's process \
            prints where the daemon does.
            """)

    @Argument(help: "The app's id.", completion: .apps)
    var app: String

    @Flag(help: "Follow the output until Ctrl-C.")
    var follow = false

    @Option(
        help: ArgumentHelp(
            "Only output since then: a time, or how long ago.", valueName: "time"))
    var since: LogTime?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        // The log or the journal is on that machine.
        if daemon.host != nil { try goThere() }
        let path = try await path()
        var start = since
        var failure: ClientFailure?
        var live: LiveText?
        let reader = LogReader(path) { line in
            if let earliest = start {
                guard let time = LogTime(line: line), time >= earliest else { return }
                start = nil
            }
            let text = PrintableText(line: String(decoding: line, as: UTF8.self))
            if let live { return live.append(text) }
            guard failure == nil else { return }
            // Blocks until a slow reader has everything.
            do throws(ClientFailure) { try StandardOutput.put(text) } catch { failure = error }
        }
        reader.read()
        if reader.skipped > 0 {
            ClientFailure.say(
                "\(app): the first \(Quantity.bytes(reader.skipped)) of its log are left out; they "
                    + "are in \(path)")
        }
        if follow, failure == nil {
            live = try LiveText()
            reader.follow()
            // A signal or a closed output ends the program.
            while true { await LoopTimer.wait(.seconds(3600)) }
        }
        reader.finish()
        if let failure { throw failure }
        return 0
    }

    @MainActor
    private func path() async throws(ClientFailure) -> String {
        let apps: [AppInfo] = try await daemon.ask(.apps)
        guard let info = apps.first(where: { $0.app == app }) else {
            let status: DaemonStatus = try await daemon.ask(.status)
            let former = "\(status.stateDirectory)/log/\(app).log"
            if Name.isValid(app), access(former, F_OK) == 0 { return former }
            let known = apps.map(\.app)
            throw .noInput(
                "napkind hosts no app '\(app)'\(Suggestion.hint(for: app, among: known)); it hosts "
                    + (known.isEmpty
                        ? "none: \(SessionList.firstApp)" : known.joined(separator: ", ")))
        }
        if let log = info.log {
            // While the file is being rotated, only the older one exists.
            for path in [log, log + ".1"] where access(path, F_OK) == 0 { return log }
            throw .noInput(
                "no worker of \(app) has been started yet: `napkin-client attach \(app)` starts it")
        }
        let status: DaemonStatus = try await daemon.ask(.status)
        if status.isInJournal == true { try readJournal() }
        throw .noInput("\(app) prints where napkind does")
    }

    private func readJournal() throws(ClientFailure) -> Never {
        var words = ["journalctl", "--quiet", "--no-pager", "--identifier", app]
        words += ["_UID=\(getuid())"]
        if follow { words += ["--follow", "--lines=all"] }
        if let since { words += ["--since", "@\(since.seconds)"] }
        try DaemonOptions.become(words)
    }

    /// Runs the same command on the other machine.
    @MainActor
    private func goThere() throws(ClientFailure) -> Never {
        var words = ["logs", app]
        if follow { words.append("--follow") }
        // An age instead of a time, because that machine's zone may differ.
        if let since { words += ["--since", "\(max(0, time(nil) - since.seconds))s"] }
        try daemon.goThere(words)
    }
}
