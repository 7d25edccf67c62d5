// Web: the command that shows a session in this machine's browsers.
//
// Layer      executable, commands.
// Isolation  value; performing is @MainActor.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport
import NapkinWeb

struct Web: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a session in a browser, and drives it there.",
        discussion: """
            Serves the session's page on this machine, prints its address, and opens it if this is \
            a desktop. The address is good once: it exchanges a token for a cookie of that \
            browser, which can then load the page again and open further tabs. Each tab is a front \
            of its own. Runs until Ctrl-C, which ends the tabs and nothing else.

              napkin-client web rib-house
              napkin-client web lunch --read-only      an existing session, to look only
              napkin-client web rib-house --port 8080 --no-open

            Only this machine is served, and only its one user. From another one, let ssh carry \
            the port, the same at both ends:

              ssh -L 8080:127.0.0.1:8080 desk napkin-client web rib-house --port 8080 --no-open
            """)

    @Argument(
        help: ArgumentHelp(
            "An app or a session, as `napkin-client apps` and `ls` list them.",
            discussion: "An app's own client shows its app by default."),
        completion: .sessionsAndApps)
    var name: String?

    @Option(
        help: ArgumentHelp("The session's name. Default: the app's.", valueName: "name"),
        completion: .sessions)
    var session: String?

    @Option(help: ArgumentHelp("The port. Default: a free one.", valueName: "number"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "The address to listen on: one of this machine alone.", valueName: "address"))
    var address = "127.0.0.1"

    @Flag(help: "Watch only: events are refused, and questions are not asked there.")
    var readOnly = false

    @Flag(name: .customLong("no-open"), help: "Print the address, and start no browser.")
    var noOpen = false

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        guard (0...65_535).contains(port) else {
            throw ValidationError("--port takes 0 to 65535")
        }
        guard ["127.0.0.1", "localhost"].contains(address) else {
            throw ValidationError(
                "the page is served on 127.0.0.1 only, and not on '\(address)': whoever reads the "
                    + "line would read and drive the session. Let ssh carry the port (ssh -L), or "
                    + "put a proxy with TLS and a log-in in front")
        }
        if session != nil, name == nil {
            throw ValidationError("--session needs the app before it: web APP --session NAME")
        }
    }

    @MainActor
    func perform() async throws(ClientFailure) -> Int32 {
        let (app, session) = try await subject()
        let words =
            ["web", app] + (session.map { ["--session", $0] } ?? []) + ["--port", "\(port)"]
            + (readOnly ? ["--read-only"] : []) + (noOpen ? ["--no-open"] : []) + daemon.words
        try await FrontProgram.become(of: app, words, asking: daemon)
        let options = FrontOptions(
            app: app, session: session, isReadOnly: readOnly, client: MainCommand.name,
            wantsSchema: true, answersAsks: !readOnly)
        let component = FrontComponent()
        let daemonAddress = try daemon.address()
        let site = WebSite(component) {
            let registry = ViewRegistry(component: component)
            ClientSetup.current.registerViews(registry)
            return Front(at: daemonAddress, options: options, registry: registry)
        }
        try await serve(site)
        return 0
    }

    /// Serves until a signal comes.
    @MainActor
    private func serve(_ site: WebSite) async throws(ClientFailure) {
        let url: String
        do {
            url = try await site.start(port: port)
        } catch {
            throw ClientFailure(
                ExitTable.unavailable, "port \(port) of 127.0.0.1 cannot be served: \(error)")
        }
        try StandardOutput.put(line: url)
        if !noOpen { open(url) }
        do throws(TransportError) {
            try await Self.signalled()
        } catch {
            throw ClientFailure(error)
        }
        await site.stop()
    }

    @MainActor
    private static func signalled() async throws(TransportError) {
        var watchers: [SignalWatcher] = []
        defer { for watcher in watchers { watcher.cancel() } }
        let signals = AsyncStream.makeStream(of: Void.self)
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            watchers.append(try SignalWatcher(signal) { signals.continuation.finish() })
        }
        for await _ in signals.stream {}
    }

    /// Opens the page where there is a desktop. Whoever lists processes meanwhile sees the address:
    /// it is good once, and the browser is quick.
    @MainActor
    private func open(_ url: String) {
        let hasDesktop = ["DISPLAY", "WAYLAND_DISPLAY"].contains {
            FrontComponent.variable($0)?.isEmpty == false
        }
        guard hasDesktop, isatty(STDOUT_FILENO) != 0 else { return }
        do throws(TransportError) {
            _ = try ChildProcess(
                ChildProcess.Configuration(
                    executable: "xdg-open", arguments: [url], inheritsStandardError: false,
                    detached: true)
            ) { _ in }
        } catch {
            ClientFailure.say("no browser can be started (\(error)); open the address yourself")
        }
    }

    // MARK: - What is shown

    /// Returns the app and the session that are meant.
    @MainActor
    private func subject() async throws(ClientFailure) -> (app: String, session: String?) {
        guard let name = name ?? ClientSetup.current.app else {
            throw ClientFailure(
                ExitTable.usage,
                "web needs the name of an app or a session: `napkin-client apps` and "
                    + "`napkin-client ls` list them")
        }
        guard session == nil else { return (name, session) }
        let apps: [AppInfo] = try await daemon.ask(.apps)
        if apps.contains(where: { $0.app == name }) { return (name, nil) }
        guard let app = try await daemon.app(ofSession: name) else {
            throw ClientFailure(
                ExitTable.noInput,
                "there is no app and no session '\(name)': `napkin-client apps` and "
                    + "`napkin-client ls` list them")
        }
        return (app, name)
    }
}
