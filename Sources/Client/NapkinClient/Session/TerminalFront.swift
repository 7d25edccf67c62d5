// TerminalFront: a person at a terminal: from the list to a session, back, and to another one.
//
// Ownership  owns the terminal's window, and one front at a time.
// Invariant  whatever ends the first attachment ends the program, as if there were no list; once
//            the list has been seen, a session that cannot be shown leads back to it.

import Glibc
import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

@MainActor
final class TerminalFront {
    /// How a visit to one session ended, if it did not fail.
    private enum Ending {
        case left
        case list
    }

    /// Whether a person can see a screen and press keys.
    nonisolated static var isPossible: Bool {
        let terminal = FrontComponent.variable("TERM")
        return terminal != nil && terminal != "dumb" && isatty(STDIN_FILENO) != 0
            && isatty(STDOUT_FILENO) != 0
    }

    private let component: TerminalComponent
    private let command: Attach
    private let window: TerminalWindow
    /// Keeps its selection while a session is shown.
    let dashboard: Dashboard
    /// Whether the list has been seen, so that its key is named.
    private var knowsList = FrontProgram.knowsList
    private var hasLoaded = false
    /// Whether no session has been attached yet.
    private var isFirst = true
    /// The dashboard key of an action that was chosen on a session's screen.
    private var errand: Key?

    /// Throws if the type of terminal is unknown, before any query to the daemon.
    init(_ command: Attach, _ component: TerminalComponent) throws(ClientFailure) {
        (self.command, self.component) = (command, component)
        dashboard = Dashboard(command.daemon, isReadOnly: command.watchesOnly)
        window = try ClientFailure.ofTerminal { () throws(TerminalError) in
            try TerminalWindow(component)
        }
    }

    /// Returns when the person has left. The terminal is then restored, even after an error.
    func run(app: String?, session: String?) async throws(ClientFailure) {
        defer { window.close() }
        RemoteHost.mayAsk = { [window] in !window.isOpen }
        var place = app.map { (app: $0, session: session) }
        var notice: String?
        while true {
            let isChosen = place == nil
            if isChosen {
                guard let entry = try await choose(notice) else { return }
                place = (entry.app, entry.session)
                notice = nil
            }
            guard let (app, session) = place else { return }
            place = nil
            do throws(ClientFailure) {
                if isChosen { try await command.become(app, session, isFirst) { window.close() } }
                guard try await show(app, session) == .list else { return }
            } catch {
                guard knowsList, !error.isDetachment else { throw error }
                notice = error.message
            }
        }
    }

    // MARK: - The dashboard

    /// Returns the person's choice; `nil` to leave.
    private func choose(_ notice: String?) async throws(ClientFailure) -> SessionList.Entry? {
        var notice = notice
        do throws(ClientFailure) {
            try await dashboard.load()
        } catch {
            // A person who has seen the dashboard can wait there until there is a daemon again.
            guard hasLoaded else { throw error }
            notice = notice ?? error.message
        }
        (hasLoaded, knowsList) = (true, true)
        try ClientFailure.ofTerminal { () throws(TerminalError) in try window.open() }
        let choice = EventBus<SessionList.Entry?>()
        let screen = ViewScreen(
            DashboardView(model: dashboard), in: window,
            saying: self.dashboard.list.summary + (self.dashboard.isReadOnly ? " · read only" : ""),
            notice: notice
        ) {
            choice.send(nil)
        }
        screen.offer(ScreenCommand.help { [weak screen] in screen?.show($0, $1) })
        if let errand { screen.press(errand) }
        errand = nil
        dashboard.attach = { choice.send($0) }
        dashboard.say = { screen.notify($0) }
        var waiting: String?
        WaitingLine.screen = { sentence in
            if let former = waiting { screen.withdraw(former) }
            waiting = sentence
            if let sentence { screen.notify(sentence) }
        }
        defer {
            WaitingLine.screen = nil
            screen.close()
            dashboard.disconnect()
        }
        for await entry in choice.events { return entry }
        return nil
    }

    // MARK: - A session

    private func show(_ app: String, _ session: String?) async throws(ClientFailure) -> Ending {
        let run = try command.makeRun(
            app, session, component, isOnScreen: true, isFirst: isFirst)
        defer { if run.front.attached != nil { isFirst = false } }
        var ending = Ending.left
        let list = KeyBinding(.control("o"), "Sessions", isNamed: knowsList) {
            ending = .list
            run.quit()
        }
        let screen = TerminalScreen(
            front: run.front, component: component, in: window, list: list
        ) { error in
            if let error {
                run.fail(.usage(error.description))
            } else {
                run.quit()
            }
        }
        screen.offer(
            ScreenCommand.offered(isReadOnly: dashboard.isReadOnly).map { command in
                PaletteCommand(command.title, detail: command.detail) { [weak self] in
                    guard let page = command.page else { return run.quit() }
                    let session = run.front.attached?.session ?? session ?? app
                    let place = SessionList.Entry(
                        app: app, session: session == app ? nil : session, state: "", info: nil)
                    self?.dashboard.page = page
                    self?.dashboard.selection = place.id
                    self?.errand = command.key
                    ending = .list
                    run.quit()
                }
            } + ScreenCommand.help { [weak screen] in screen?.show($0, $1) })
        defer { screen.close() }
        run.say = { [window] sentence in
            guard window.isOpen else { return WaitingLine.show(sentence) }
            if let sentence { screen.notify(sentence) }
        }
        Anomaly.onReport { anomaly in
            // The front reports this to the screen.
            if case .eventFailed = anomaly { return }
            Task { @MainActor in screen.notify(anomaly.sentence) }
        }
        try await run.run()
        return ending
    }
}

extension Anomaly {
    /// The sentence for a person at the screen.
    fileprivate var sentence: String {
        switch self {
        case .unreadableArguments(let feature, let error): "\(feature) cannot be shown: \(error)"
        case .unpresentable(let feature, let reason): "\(feature) cannot be shown: \(reason)"
        default: "\(self)"
        }
    }
}
