// TerminalFront: a person at a terminal: from the list to a session, back, and to another one.
//
// Layer      executable, session.
// Isolation  @MainActor.
// Ownership  owns the terminal's window, and one front at a time.
// Invariant  whatever ends the first attachment ends the program, as if there were no list; once
//            the list has been seen, a session that cannot be shown leads back to it.

import NapkinCore
import NapkinElements
import NapkinFront
import NapkinProtocol
import NapkinTerminal
import NapkinTransport

/// Shows sessions on a terminal until the person leaves.
@MainActor
final class TerminalFront {
    /// How a visit to one session ended, if it did not fail.
    private enum Ending {
        case left
        case list
    }

    /// An event while the list is shown.
    private enum ListTurn {
        /// The daemon's answer or a failure, with the number of the query.
        case told(Int, Result<SessionList, ClientFailure>)
        case answered(SessionListView.Answer)
    }

    typealias MakeRun = (
        _ app: String, _ session: String?, _ isFirst: Bool
    ) throws(ClientFailure) -> FrontRun

    /// Goes on as the app's own front, if that is another program; calls the closure before.
    typealias Become = (
        _ app: String, _ session: String?, _ isFirst: Bool, _ leave: () -> Void
    ) async throws(ClientFailure) -> Void

    private let daemon: DaemonOptions
    private let component: TerminalComponent
    private let makeRun: MakeRun
    private let become: Become
    private let window: TerminalWindow
    /// The selection in the list, kept while a session is shown.
    private var selection: String?
    /// Whether the list has been seen, so that its key is named.
    private var knowsList = FrontProgram.knowsList
    /// The list as it was last received.
    private var known: SessionList?
    /// Whether no session has been attached yet.
    private var isFirst = true

    /// Throws if the type of terminal is unknown, before the daemon is asked anything.
    init(
        _ daemon: DaemonOptions, _ component: TerminalComponent,
        makeRun: @escaping MakeRun, become: @escaping Become
    ) throws(ClientFailure) {
        self.daemon = daemon
        self.component = component
        self.makeRun = makeRun
        self.become = become
        do throws(TerminalError) {
            window = try TerminalWindow(component)
        } catch {
            throw ClientFailure(error)
        }
    }

    /// Returns when the person has left; the terminal is then as it was, also after an error.
    ///
    /// - Parameter app: the app to begin with; `nil` for the list.
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
                if isChosen { try await become(app, session, isFirst) { window.close() } }
                guard try await show(app, session) == .list else { return }
            } catch {
                guard knowsList, !error.isDetachment else { throw error }
                notice = error.message
            }
        }
    }

    // MARK: - The list

    /// Returns the person's choice; `nil` to leave.
    ///
    /// The list stays on the screen while a newer one is requested, and keys mean what they say
    /// there: keys that are pressed meanwhile are not lost.
    private func choose(_ notice: String?) async throws(ClientFailure) -> SessionList.Entry? {
        let bus = EventBus<ListTurn>()
        var turns = bus.events.makeAsyncIterator()
        var screen: ViewScreen?
        var reloads = 0
        defer { screen?.close() }
        knowsList = true
        bus.send(.told(reloads, await listing()))
        while let turn = await turns.next() {
            switch turn {
            case .told(reloads, .success(let list)):
                known = list
                screen = try show(list, reloads == 0 ? notice : nil, bus)
            case .told(reloads, .failure(let failure)):
                // A person who has seen the list can look again when there is a daemon again.
                guard let known else { throw failure }
                screen = try show(known, failure.message, bus)
            case .told: break  // A newer one is on its way.
            case .answered(.attach(let entry)): return entry
            case .answered(.reload):
                reloads += 1
                Task { [reloads] in bus.send(.told(reloads, await listing())) }
            case .answered(.leave): return nil
            }
        }
        return nil
    }

    private func listing() async -> Result<SessionList, ClientFailure> {
        do throws(ClientFailure) {
            return .success(try await SessionList(asking: daemon))
        } catch {
            return .failure(error)
        }
    }

    /// Shows a list instead of the former one.
    private func show(
        _ list: SessionList, _ notice: String?, _ bus: EventBus<ListTurn>
    ) throws(ClientFailure) -> ViewScreen {
        do throws(TerminalError) {
            try window.open()
        } catch {
            throw ClientFailure(error)
        }
        let view = SessionListView(list: list, selection: Binding(self, \.selection)) {
            bus.send(.answered($0))
        }
        return ViewScreen(view, in: window, saying: list.summary, notice: notice) {
            bus.send(.answered(.leave))
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
        run.say = { [window] sentence in
            guard window.isOpen else { return WaitingLine.show(sentence) }
            if let sentence { screen.notify(sentence) }
        }
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
    /// Asks the daemon for the list.
    @MainActor
    init(asking daemon: DaemonOptions) async throws(ClientFailure) {
        let connection = try await daemon.connect()
        defer { connection.close() }
        let sessions = try await Gathered<SessionInfo>(from: connection, daemon)
        self.init(
            sessions.apps, sessions.items, silent: Set(sessions.failures.map(\.app)))
    }
}

extension ClientFailure {
    fileprivate init(_ error: TerminalError) {
        self.init(ExitTable.usage, error.description)
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
