// NapkindCommand: the command line of the daemon, and of a worker that it starts.
//
// Layer      daemon.
// Isolation  value.

package import ArgumentParser
import Logging
import NapkinProtocol

/// The options and arguments of `napkind`.
package struct NapkindCommand: ParsableCommand, Sendable {
    package static let configuration = CommandConfiguration(
        commandName: "napkind",
        abstract: "Hosts apps made of interactor actors, and keeps them running.",
        discussion: """
            The daemon listens on a Unix socket, starts one worker process per app when a front \
            first asks for it, and starts a worker again when it dies. It runs no app code itself.
            The worker of an app that has sessions without a front is started at once. Apps that \
            are installed while it runs are found.

            Examples:
              napkind                              listen at the default socket
              napkind --socket /tmp/mine/n.sock    listen elsewhere
              napkind --in-process                 no worker processes, for a debugger
              napkin-client attach rib-house       attach a terminal to an app

            Send SIGTERM to end it in good order: handlers finish, fronts are told. SIGINT, SIGHUP \
            and SIGQUIT do the same; napkind(8) has the others.
            """,
        version: "napkind \(NapkinVersion.text)")

    @Option(
        help: ArgumentHelp(
            "The socket to listen at.",
            discussion: "Default: $XDG_RUNTIME_DIR/napkin/napkind.sock, "
                + "else /tmp/napkin-<uid>/napkind.sock. At most 107 bytes.",
            valueName: "path"))
    package var socket: String?

    @Option(
        help: ArgumentHelp(
            "Where locks are kept.",
            discussion: "Default: $XDG_STATE_HOME/napkin, else ~/.local/state/napkin.",
            valueName: "dir"))
    package var stateDir: String?

    @Option(
        help: ArgumentHelp(
            "Write one line, 'ready PATH', to this open descriptor when listening.",
            valueName: "n"))
    package var readyFd: Int32?

    @Option(
        help: ArgumentHelp(
            "Find apps by their manifests in this directory, too.",
            discussion: "May be given more than once; the first that has an app counts. After them "
                + "come napkin/apps in $XDG_DATA_HOME, else in ~/.local/share, and in each of "
                + "$XDG_DATA_DIRS, else in /usr/local/share and /usr/share.",
            valueName: "dir"))
    package var apps: [String] = []

    @Flag(help: "Host the apps in the daemon's own process.")
    package var inProcess = false

    @Option(
        help: ArgumentHelp(
            "trace, debug, info, notice, warning, error or critical.", valueName: "level"))
    package var logLevel = "notice"

    @Option(
        name: .customLong("set"),
        help: ArgumentHelp(
            "Choose a value for an app's setting, instead of its file's.",
            discussion: "May be given more than once. The file is "
                + "$XDG_CONFIG_HOME/napkin/APP.yaml, else ~/.config/napkin/APP.yaml. Whoever may "
                + "list processes sees the value.",
            valueName: "app.key=value"))
    package var settings: [String] = []

    @Option(help: .hidden)
    package var worker: String?

    @Option(help: .hidden)
    package var workerSocket: String?

    package init() {}

    package func validate() throws {
        guard Logger.Level(rawValue: logLevel) != nil else {
            throw ValidationError(
                "'\(logLevel)' is no log level: use trace, debug, info, notice, warning, error "
                    + "or critical")
        }
        if let readyFd, readyFd < 0 {
            throw ValidationError("--ready-fd needs the number of an open descriptor")
        }
        if worker != nil, socket == nil || stateDir == nil || workerSocket == nil {
            throw ValidationError("--worker is used by napkind itself, not by people")
        }
    }
}
