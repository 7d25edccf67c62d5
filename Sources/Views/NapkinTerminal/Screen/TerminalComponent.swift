// TerminalComponent: the facts about the terminal that are known before drawing.

internal import NapkinCore
package import NapkinFront

package final class TerminalComponent: FrontComponent {
    /// `TERM`; `nil` where it is not set.
    package var terminalType: String? { environment("TERM") }

    /// Whether the type of terminal can be drawn on: `dumb` cannot.
    package var canMoveCursor: Bool { terminalType != "dumb" }

    /// Returns the theme that the environment names: plain with `NO_COLOR`, otherwise the one of
    /// `NAPKIN_THEME`; `nil` if that is unset or empty. Throws if there is no such theme.
    package func theme() throws(TerminalError) -> TerminalTheme? {
        let name = environment("NAPKIN_THEME").flatMap { $0.isEmpty ? nil : $0 }
        let theme = TerminalTheme.all.first { $0.name == name }
        guard name == nil || theme != nil else {
            let names = TerminalTheme.all.map(\.name).joined(separator: ", ")
            throw TerminalError(
                description: "NAPKIN_THEME is '\(name ?? "")': the themes are \(names)")
        }
        return wantsColours ? theme : .plain
    }

    /// Whether `COLORFGBG` ("foreground;background"), as rxvt and others set it, reports a light
    /// background: 7, or 9 and above.
    var hasLightBackground: Bool {
        let numbers = environment("COLORFGBG")?.split(separator: ";")
        guard let background = numbers?.last.flatMap({ Int($0) }) else { return false }
        return background == 7 || background > 8
    }

    /// The terminfo entry for direct colour, if one exists, of a terminal that has announced it
    /// (`COLORTERM`): `xterm-direct` for `xterm-256color` (decision 110).
    var directType: String? {
        guard let type = terminalType, ["truecolor", "24bit"].contains(environment("COLORTERM"))
        else { return nil }
        let ending = "-256color"
        return (type.hasSuffix(ending) ? String(type.dropLast(ending.count)) : type) + "-direct"
    }

    /// Whether views receive clicks and the wheel: unless `NAPKIN_MOUSE` is 0. The terminal then
    /// selects text with Shift.
    package var usesMouse: Bool { environment("NAPKIN_MOUSE") != "0" }

    /// Whether tmux is between this and the terminal.
    var isInTmux: Bool { environment("TMUX")?.isEmpty == false }

    /// Returns the choice of `NAPKIN_BELL`: the bell if it is unset or empty. Throws if there is no
    /// such choice.
    func bell() throws(TerminalError) -> TerminalBell {
        let name = environment("NAPKIN_BELL").flatMap { $0.isEmpty ? nil : $0 } ?? "bell"
        if let bell = TerminalBell(rawValue: name) { return bell }
        let names = TerminalBell.allCases.map(\.rawValue).joined(separator: ", ")
        throw TerminalError(description: "NAPKIN_BELL is '\(name)': write one of \(names)")
    }

    /// Columns of plain text by default. Chosen: as many as terminals have had since 1928.
    package nonisolated static let columns = 80

    /// The columns of plain text: `COLUMNS`, if set, within the limits of a layout.
    package var plainColumns: Int {
        let named = environment("COLUMNS").flatMap { Int($0) } ?? Self.columns
        return max(ScreenSize.smallest.width, named)
    }
}
