// ScreenCommand: the client's commands that a session's screen offers.
//
// Isolation  value; the help is @MainActor, as the commands of a screen are.
// Invariant  the dashboard does them: each is a page of it, and a key there.

import ArgumentParser
import NapkinElements

enum ScreenCommand: CaseIterable {
    case detach, another, rename, kill, detachAll, restart, fronts, tree, calls, trace, log

    /// The commands of a screen; a person who only watches gets those that change nothing.
    static func offered(isReadOnly: Bool) -> [Self] {
        isReadOnly ? allCases.filter { $0 == .detach || $0.key == nil } : allCases
    }

    var title: String {
        switch self {
        case .detach: "Detach"
        case .another: "New session…"
        case .rename: "Rename session…"
        case .kill: "Kill session…"
        case .detachAll: "Detach all fronts…"
        case .restart: "Restart worker…"
        case .fronts, .tree, .calls, .trace, .log: page?.rawValue ?? ""
        }
    }

    var detail: String {
        switch self {
        case .detach: "leave; the session goes on"
        case .another: "of this app"
        case .rename, .detachAll: "this session's"
        case .kill, .restart: "asks first"
        case .fronts: "of all sessions"
        case .tree, .calls, .trace, .log: "of this session"
        }
    }

    /// The dashboard's page; `nil` for the command that leaves.
    var page: Dashboard.Page? {
        switch self {
        case .detach: nil
        case .another, .rename, .kill, .detachAll, .restart: .sessions
        case .fronts: .fronts
        case .tree: .tree
        case .calls: .calls
        case .trace: .trace
        case .log: .log
        }
    }

    var key: Key? {
        switch self {
        case .another: "c"
        case .rename: "e"
        case .kill: "x"
        case .detachAll: "d"
        case .restart: "r"
        case .detach, .fronts, .tree, .calls, .trace, .log: nil
        }
    }

    /// Returns the help of each command of this program.
    ///
    /// - Parameter show: shows a text that is made for a width.
    @MainActor static func help(
        _ show: @escaping (_ title: String, _ text: (_ width: Int) -> String) -> Void
    ) -> [PaletteCommand] {
        let shown = MainCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }
        return shown.map { command in
            let title = "Help: \(CommandPath.name(of: command))"
            return PaletteCommand(title, detail: command.configuration.abstract) {
                show(title) { width in
                    ClientSetup.current.teaching(
                        MainCommand.helpMessage(for: command, columns: width))
                }
            }
        }
    }
}
