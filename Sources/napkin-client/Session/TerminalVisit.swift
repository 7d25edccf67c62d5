// TerminalVisit: a person at a terminal: from the list to a session, to the list, to another one.
//
// Layer      executable, session.
// Isolation  @MainActor.
// Ownership  owns the terminal's window, and one front at a time.
// Invariant  what ends the first attachment ends the program, as if there were no list; once the
//            list has been seen, a session that cannot be shown leads back to it.

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

/// Shows sessions on a terminal until the person leaves.
@MainActor
final class TerminalVisit {
    /// How a visit to one session ended, where it did not fail.
    private enum Ending {
        case left
        case list
    }

    /// How long a client that is not attached yet says nothing. Chosen.
    private static let silence: Duration = .seconds(1)

    typealias MakeRun = (
        _ app: String, _ session: String?, _ isFirst: Bool
    ) throws(ClientFailure) -> FrontRun

    private let daemon: DaemonOptions
    private let component: TerminalComponent
    private let makeRun: MakeRun
    private let window: TerminalWindow
    /// What is selected in the list, while one is away.
    private let model = ListModel()
    /// Whether the list has been seen, so that its key is named.
    private var knowsList = false
    /// As it was told last.
    private var known: SessionList?
    /// Whether no session has been attached to yet.
    private var isFirst = true

    /// Throws when the type of terminal is unknown, before anything is asked of a daemon.
    init(
        _ daemon: DaemonOptions, _ component: TerminalComponent,
        makeRun: @escaping MakeRun
    ) throws(ClientFailure) {
        self.daemon = daemon
        self.component = component
        self.makeRun = makeRun
        do throws(TerminalError) {
            window = try TerminalWindow(component)
        } catch {
            throw ClientFailure(error)
        }
    }

    /// Returns when the person has left; the terminal is as it was then, as after an error.
    ///
    /// - Parameter app: where to begin; `nil` for the list.
    func run(app: String?, session: String?) async throws(ClientFailure) {
        defer { window.close() }
        var place = app.map { (app: $0, session: session) }
        var notice: String?
        while true {
            if place == nil {
                guard let entry = try await choose(notice) else { return }
                place = (entry.app, entry.session)
                notice = nil
            }
            guard let (app, session) = place else { return }
            place = nil
            do throws(ClientFailure) {
                guard try await show(app, session) == .list else { return }
            } catch {
                guard knowsList, !error.isDetachment else { throw error }
                notice = error.message
            }
        }
    }

    // MARK: - The list

    /// What the person has chosen; `nil` to leave.
    private func choose(_ notice: String?) async throws(ClientFailure) -> SessionList.Entry? {
        var notice = notice
        knowsList = true
        while true {
            let list: SessionList
            do throws(ClientFailure) {
                list = try await SessionList(asking: daemon)
            } catch {
                // Who has seen it can look again, when there is a daemon again.
                guard let known else { throw error }
                (list, notice) = (known, error.message)
            }
            known = list
            do throws(TerminalError) {
                try window.open()
            } catch {
                throw ClientFailure(error)
            }
            switch await answer(to: list, notice) {
            case .attach(let entry): return entry
            case .reload: notice = nil
            case .leave: return nil
            }
        }
    }

    private func answer(
        to list: SessionList, _ notice: String?
    ) async -> SessionListView.Answer {
        var screen: ViewScreen?
        defer { screen?.close() }
        return await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<SessionListView.Answer, Never>? = continuation
            func answer(_ answer: SessionListView.Answer) {
                waiting?.resume(returning: answer)
                waiting = nil
            }
            screen = ViewScreen(
                SessionListView(list, model, answer: answer), in: window, saying: list.summary,
                notice: notice
            ) { answer(.leave) }
        }
    }

    // MARK: - A session

    private func show(_ app: String, _ session: String?) async throws(ClientFailure) -> Ending {
        let run = try makeRun(app, session, isFirst)
        defer { if run.front.attached != nil { isFirst = false } }
        var ending = Ending.left
        let list = KeyBinding(.control("o"), "Others", isNamed: knowsList) {
            ending = .list
            run.quit()
        }
        let screen = TerminalScreen(
            front: run.front, component: component, in: window, list: list
        ) { error in
            if let error {
                run.fail(ClientFailure(error))
            } else {
                run.quit()
            }
        }
        defer { screen.close() }
        // Nobody should look at nothing for long.
        let patience = LoopTimer(after: Self.silence) { [daemon, window] in
            guard run.front.attached == nil else { return }
            // An address that cannot be had was refused before.
            let place = (try? daemon.path()) ?? "its socket"
            let words = "waiting for \(ClientSetup.current.daemon) at \(place); Ctrl-C gives up"
            if window.isOpen { screen.notify(words) } else { ClientFailure(0, words).report() }
        }
        defer { patience.cancel() }
        Anomaly.onReport { anomaly in
            Task { @MainActor in
                if case .eventFailed(_, _, let fault) = anomaly {
                    screen.notify(fault)
                } else {
                    screen.notify(anomaly.sentence)
                }
            }
        }
        try await run.run()
        return ending
    }
}

extension SessionList {
    /// As the daemon tells it now.
    @MainActor
    init(asking daemon: DaemonOptions) async throws(ClientFailure) {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let apps: [AppInfo] = try await daemon.ask(.apps, of: connection)
        let sessions: [SessionInfo] = try await daemon.ask(.sessions, of: connection)
        self.init(apps, sessions, daemon: ClientSetup.current.daemon)
    }
}

extension ClientFailure {
    fileprivate init(_ error: TerminalError) {
        self.init(ExitTable.usage, error.description)
    }
}

extension Anomaly {
    /// What a person at the screen is told.
    fileprivate var sentence: String {
        switch self {
        case .unreadableArguments(let feature, let error): "\(feature) cannot be shown: \(error)"
        case .unpresentable(let feature, let reason): "\(feature) cannot be shown: \(reason)"
        default: "\(self)"
        }
    }
}
