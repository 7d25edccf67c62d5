// NapkindCommand: the command line of the daemon.

package import ArgumentParser
package import NapkinHost
import NapkinProtocol

package struct NapkindCommand: HostCommand {
    package static let configuration = CommandConfiguration(
        commandName: "napkind",
        abstract: "Hosts apps made of interactor actors and keeps them running.",
        discussion: """
            The daemon listens on a Unix socket, finds installed apps by their manifests, starts \
            an app's worker when a front first asks for it, and restarts it when it dies. It runs \
            no app code itself.
            Workers of apps with sessions that need no front are started at once. Apps installed \
            while it runs are found.

            Examples:
              napkind                              listen on the default socket
              napkind --socket /tmp/mine/n.sock    listen elsewhere
              napkind --apps ./apps                also host the apps of a directory
              napkin-client attach rib-house       attach a terminal to an app

            Send SIGTERM to shut it down gracefully: handlers finish, and fronts are told. SIGINT, \
            SIGHUP and SIGQUIT do the same; napkind(8) lists the others.
            """,
        version: "napkind \(NapkinVersion.text)")

    @OptionGroup package var host: HostOptions

    @Option(
        help: ArgumentHelp(
            "Also find apps by their manifests in this directory.",
            discussion: "May be repeated; the first with a given app wins. After them "
                + "come napkin/apps in $XDG_DATA_HOME, else in ~/.local/share, and in each of "
                + "$XDG_DATA_DIRS, else in /usr/local/share and /usr/share.",
            valueName: "dir"))
    package var apps: [String] = []

    package init() {}

    package var descriptors: Set<Int32> {
        Set([host.readyFd, ActivatedSocket.descriptor].compactMap(\.self))
    }

    package var logLabel: String { "napkind" }
    package static var usesPool: Bool { false }

    @MainActor
    package func serve() async throws(StartError) -> Int32 {
        let daemon = try Daemon(host, directories: HostedApps.directories(apps))
        ProcessOutput.keep(in: LogFile(ofDaemonIn: daemon.state.path))
        return await daemon.run()
    }
}
