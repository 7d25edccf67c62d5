// Status: the commands that report what runs and what is wrong, and that set the log level.

import ArgumentParser
import NapkinProtocol
import NapkinTransport

struct Status: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what is running, since when, its memory, and what is wrong.",
        discussion: """
            The daemon, then each app with its workers, sessions, attached fronts and crashes, \
            then problems, with what to do about each, and notes. Never starts a daemon. The exit \
            status is 0 if there is no problem, 1 if there is one, and 69 if no daemon answers.

              napkin-client status
              napkin-client status || napkin-client doctor
              napkin-client status --json | jq '.checks[] | select(.verdict == "problem")'
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let checkup = try await Checkup(options.daemon)
        try StandardOutput.put(checkup, asJSON: options.json, or: checkup.lines(in: TextTable.room))
        return checkup.status
    }
}

struct Doctor: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Finds what keeps napkin from working and says what to do.",
        discussion: """
            A line for each check: the daemon and its version, the apps, manifests and programs, \
            who may write to the directories, free disk space, locks and sockets. Needs no daemon, \
            and starts none. With --host, checks of that machine's disks are left out. JSON and \
            exit status are those of status, but 0 if the only problem is that no daemon runs yet.

              napkin-client doctor
            """)

    @OptionGroup var options: ReportOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let checkup = try await Checkup(options.daemon)
        let count = checkup.problems.count
        let summary =
            count == 0 ? "all is well" : count == 1 ? "there is a problem" : "\(count) problems"
        try StandardOutput.put(
            checkup, asJSON: options.json,
            or: checkup.checks.flatMap { $0.lines(in: TextTable.room) } + [summary])
        return count == 0 ? 0 : checkup.status
    }
}

struct LogLevelCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "log-level", abstract: "Changes the log level of an app's running workers.",
        discussion: """
            Lines of that level and above are written; trace writes most, critical least. It also \
            applies to workers that are started later, even after a restart of napkind, until you \
            log out. Without an app, it changes napkind's own log. Prints the former level.

              napkin-client log-level debug rib-house
              napkin-client logs rib-house --follow
              napkin-client log-level notice rib-house
            """)

    @Argument(
        help: "trace, debug, info, notice, warning, error or critical.",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var level: String

    @Argument(help: "The app. Default: napkind itself.", completion: .apps)
    var app: String?

    @OptionGroup var daemon: DaemonOptions

    func perform() async throws(ClientFailure) -> Int32 {
        let former: String = try await daemon.ask(.logLevel(app: app, level: level))
        try StandardOutput.put(line: "\(app ?? "napkind"): \(level), formerly \(former)")
        return 0
    }
}
