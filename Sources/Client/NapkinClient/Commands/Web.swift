// Web: the command that serves sessions to this machine's browsers.

import ArgumentParser
import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport
import NapkinWeb

struct Web: ClientCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows a session, or all of them, in a browser.",
        discussion: """
            Serves the session's page on this machine, or without a name the inspector: the \
            dashboard with all sessions, from which others are opened. Prints the address, and \
            opens it if this is a desktop. The address is good once: it exchanges a token for a \
            cookie of that browser, which can then load the page again and open further tabs. Each \
            tab of a session is a front of its own. A log-out on the page ends the tabs and the \
            cookie, and another address is printed. Runs until Ctrl-C, which ends the tabs and \
            nothing else.

              napkin-client web                        the inspector
              napkin-client web rib-house
              napkin-client web lunch --read-only      an existing session, to look only
              napkin-client web rib-house --port 8080 --no-open

            The address has a name that browsers look for on this machine. For a program that \
            does not find it, put 127.0.0.1 in its place.

            Only this machine is served, and only its one user. From another one, let ssh carry \
            the port, the same at both ends:

              ssh -L 8080:127.0.0.1:8080 desk \\
                  napkin-client web rib-house --port 8080 --no-open

            Or let a proxy with TLS, such as nginx, lead to a socket of yours:

              napkin-client web rib-house --unix ~/.napkin/web.sock \\
                  --origin https://desk.example.org

            With --metrics FILE it also answers /metrics, for Prometheus and others, to whoever \
            sends the token in FILE as `Authorization: Bearer TOKEN`. The file is created if it is \
            not there, with a new token. OpenMetrics is sent where it is asked for.

              napkin-client web --port 9464 --no-open --metrics ~/.napkin/metrics.token
            """)

    @Argument(
        help: ArgumentHelp(
            "A name that `napkin-client apps` or `napkin-client ls` lists. Default: all.",
            discussion: "An app's own client shows its app by default."),
        completion: .sessionsAndApps)
    var name: String?

    @Option(
        help: ArgumentHelp("The session's name. Default: the app's.", valueName: "name"),
        completion: .sessions)
    var session: String?

    @Flag(help: "Watch only: events are refused, and questions are not asked there.")
    var readOnly = false

    @Flag(name: .customLong("no-open"), help: "Print the address, and start no browser.")
    var noOpen = false

    @Option(
        help: ArgumentHelp(
            "Serve /metrics to whoever has the token in this file.", valueName: "file"),
        completion: .file())
    var metrics: String?

    @OptionGroup var person: PersonOption

    @OptionGroup var web: WebOptions

    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if session != nil, name == nil {
            throw ValidationError("--session needs the app before it: web APP --session NAME")
        }
    }

    func perform() async throws(ClientFailure) -> Int32 {
        let first = try await subject()
        if let (app, session) = first {
            let words =
                ["web", app] + (session.map { ["--session", $0] } ?? []) + web.words
                + (readOnly ? ["--read-only"] : []) + (noOpen ? ["--no-open"] : [])
                + (metrics.map { ["--metrics", $0] } ?? []) + person.words + daemon.words
            try await FrontProgram.become(of: app, words, asking: daemon)
        }
        let component = FrontComponent()
        let address = try daemon.address()
        let site = WebSite(component, metrics: try webMetrics()) { name in
            let place = name.isEmpty ? first.map { SessionPage($0, $1) } : SessionPage(name)
            guard let place else {
                return ["", "inspector"].contains(name) ? .view(inspector()) : nil
            }
            var options = FrontOptions(
                app: place.app, session: place.session, isReadOnly: readOnly,
                client: MainCommand.name, wantsSchema: true, answersAsks: !readOnly)
            options.name = person.name
            let registry = ViewRegistry(component: component)
            ClientSetup.current.registerViews(registry)
            let front = Front(at: address, options: options, registry: registry)
            return .front(front, hasInspector: true)
        }
        try await web.serve(site) { (url: String) throws(ClientFailure) in
            try web.announce(url, isShared: false)
            if !noOpen { open(url) }
        }
        return 0
    }

    @MainActor
    private func webMetrics() throws(ClientFailure) -> WebMetrics? {
        guard let metrics else { return nil }
        let collector = MetricCollector(daemon)
        return WebMetrics(token: try MetricsToken.read(metrics)) { isOpen in
            MetricText(await collector.metrics(), isOpen: isOpen).text
        }
    }

    /// Returns the dashboard as a page that opens sessions.
    @MainActor
    private func inspector() -> ViewTab {
        let dashboard = Dashboard(daemon, isReadOnly: readOnly)
        let tab = ViewTab(
            DashboardView(model: dashboard), named: "Inspector",
            saying: {
                (dashboard.isLoaded ? dashboard.list.summary : "napkind")
                    + (readOnly ? " · read only" : "")
            },
            whenLeft: { dashboard.disconnect() })
        dashboard.say = { [weak tab] in tab?.say($0) }
        dashboard.attach = { [weak tab, unowned dashboard] entry in
            tab?.open(SessionPage(entry.app, entry.session).name)
            if dashboard.hasOwnFront(entry.app) {
                tab?.say("`\(entry.command)` shows it with its own views")
            }
        }
        return tab
    }

    /// Opens the page where there is a desktop. Anybody who lists processes meanwhile sees the
    /// address, but it is good only once, and the browser is quick.
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

    // MARK: - Subjects

    /// Returns the app and the session to serve; `nil` for all.
    @MainActor
    private func subject() async throws(ClientFailure) -> (app: String, session: String?)? {
        guard let name = name ?? ClientSetup.current.app else { return nil }
        guard session == nil else { return (name, session) }
        let apps: [AppInfo] = try await daemon.ask(.apps)
        if apps.contains(where: { $0.app == name }) { return (name, nil) }
        guard let app = try await daemon.app(ofSession: name) else {
            throw .noInput(
                "there is no app and no session '\(name)': `napkin-client apps` and "
                    + "`napkin-client ls` list them")
        }
        return (app, name)
    }
}

/// The page of a session: `app~session`. No app or session has a `~` in its name.
private struct SessionPage {
    var app: String
    var session: String?

    init(_ app: String, _ session: String?) { (self.app, self.session) = (app, session) }

    init?(_ name: String) {
        let parts = name.split(separator: "~", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        self.init(parts[0], parts[1].isEmpty ? nil : parts[1])
    }

    var name: String { "\(app)~\(session ?? "")" }
}

extension SessionList.Entry {
    fileprivate var command: String {
        "napkin-client web \(app)" + (session.map { " --session \($0)" } ?? "")
    }
}
