// NapkindCommand: the command line of the daemon.
//
// Layer      daemon.
// Isolation  value; served on the @MainActor.

package import ArgumentParser
import NapkinProtocol

/// The options and arguments of `napkind`.
package struct NapkindCommand: HostCommand {
    package static let configuration = CommandConfiguration(
        commandName: "napkind",
        abstract: "Hosts apps made of interactor actors, and keeps them running.",
        discussion: """
            The daemon listens on a Unix socket, finds the installed apps by their manifests, \
            starts an app's worker when a front first asks for it, and again when it dies. It runs \
            no app code itself.
            The worker of an app that has sessions without a front is started at once. Apps that \
            are installed while it runs are found.

            Examples:
              napkind                              listen at the default socket
              napkind --socket /tmp/mine/n.sock    listen elsewhere
              napkind --apps ./apps                host the apps of a directory, too
              napkin-client attach rib-house       attach a terminal to an app

            Send SIGTERM to end it in good order: handlers finish, fronts are told. SIGINT, SIGHUP \
            and SIGQUIT do the same; napkind(8) has the others.
            """,
        version: "napkind \(NapkinVersion.text)")

    @OptionGroup package var host: HostOptions

    @Option(
        help: ArgumentHelp(
            "Find apps by their manifests in this directory, too.",
            discussion: "May be given more than once; the first that has an app counts. After them "
                + "come napkin/apps in $XDG_DATA_HOME, else in ~/.local/share, and in each of "
                + "$XDG_DATA_DIRS, else in /usr/local/share and /usr/share.",
            valueName: "dir"))
    package var apps: [String] = []

    package init() {}

    package var descriptors: Set<Int32> {
        Set([host.readyFd, ActivatedSocket.descriptor].compactMap(\.self))
    }

    package var logLabel: String { "napkind" }

    @MainActor
    package func serve() async throws(StartError) -> Int32 {
        try await Daemon(host, directories: Daemon.appDirectories(apps)).run()
    }
}
