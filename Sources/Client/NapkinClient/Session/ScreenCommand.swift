// ScreenCommand: the client's commands that a session's screen offers.
//
// Isolation  value; the help is @MainActor, as the commands of a screen are.
// Invariant  the dashboard performs them: each is a page of it, or a key there.

import ArgumentParser
import NapkinElements

struct ScreenCommand {
    let title: String
    let detail: String
    /// The dashboard's page; `nil` for the command that leaves.
    var page: Dashboard.Page?
    /// The key that performs it there; `nil` for a command that changes nothing.
    var key: Key?

    private static let all = [
        ScreenCommand(title: "Detach", detail: "leave; the session goes on"),
        ScreenCommand(title: "New session…", detail: "of this app", page: .sessions, key: "c"),
        ScreenCommand(
            title: "Rename session…", detail: "this session's", page: .sessions, key: "e"),
        ScreenCommand(title: "Kill session…", detail: "asks first", page: .sessions, key: "x"),
        ScreenCommand(
            title: "Detach all fronts…", detail: "this session's", page: .sessions, key: "d"),
        ScreenCommand(title: "Restart worker…", detail: "asks first", page: .sessions, key: "r"),
        page(.fronts, "of all sessions"), page(.tree), page(.calls), page(.trace), page(.log),
    ]

    private static func page(_ page: Dashboard.Page, _ detail: String = "of this session") -> Self {
        ScreenCommand(title: page.rawValue, detail: detail, page: page)
    }

    /// The commands of a screen; a person who only watches gets those that change nothing.
    static func offered(isReadOnly: Bool) -> [Self] {
        isReadOnly ? all.filter { $0.key == nil } : all
    }

    /// Returns the help of each command of this program.
    ///
    /// - Parameter show: shows a text that is laid out for a width.
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
