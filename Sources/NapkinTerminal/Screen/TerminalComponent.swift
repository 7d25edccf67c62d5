// TerminalComponent: what is known of the terminal before anything is drawn on it.
//
// Layer      terminal, screen.
// Isolation  Sendable; frozen after construction.

internal import NapkinCore
public import NapkinFront

/// What screens and views need of the terminal, of the front's own component.
// SAFETY: no stored property; see `Component`.
public nonisolated final class TerminalComponent: FrontComponent, @unchecked Sendable {
    /// `TERM`; `nil` where it is not set.
    public var terminalType: String? { environment("TERM") }

    /// Whether the type of terminal is one that can be drawn on: `dumb` is none.
    public var canMoveCursor: Bool { terminalType != "dumb" }

    /// How text looks: `NAPKIN_THEME` (dark, light or plain), unless `NO_COLOR` is set; what the
    /// terminal says of its background (`COLORFGBG`) where nobody has chosen.
    public var theme: TerminalTheme { TerminalTheme(environment) }

    /// Whether clicks and the wheel are for the views: unless `NAPKIN_MOUSE` is 0. The terminal
    /// itself selects text with Shift then.
    public var usesMouse: Bool { environment("NAPKIN_MOUSE") != "0" }

    /// Columns of plain text when nobody says how many. Chosen: a terminal's since 1928.
    public static let columns = 80

    /// The columns of plain text: `COLUMNS`, where it is set, within what can be laid out.
    public var plainColumns: Int {
        let named = environment("COLUMNS").flatMap { Int($0) } ?? Self.columns
        return max(ScreenSize.smallest.width, named)
    }
}
