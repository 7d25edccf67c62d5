// TerminalComponent: what is known of the terminal before anything is drawn on it.
//
// Layer      terminal, screen.
// Isolation  @MainActor.

internal import NapkinCore
public import NapkinFront

/// What screens and views need of the terminal, in addition to the front's component.
public final class TerminalComponent: FrontComponent {
    /// `TERM`; `nil` where it is not set.
    public var terminalType: String? { environment("TERM") }

    /// Whether the type of terminal can be drawn on: `dumb` cannot.
    public var canMoveCursor: Bool { terminalType != "dumb" }

    /// The looks of text: `NAPKIN_THEME` (dark, light or plain), unless `NO_COLOR` is set;
    /// otherwise what the terminal says of its background (`COLORFGBG`).
    public var theme: TerminalTheme { TerminalTheme(environment) }

    /// Whether clicks and the wheel go to the views: unless `NAPKIN_MOUSE` is 0. The terminal then
    /// selects text with Shift.
    public var usesMouse: Bool { environment("NAPKIN_MOUSE") != "0" }

    /// Columns of plain text by default. Chosen: a terminal's since 1928.
    public nonisolated static let columns = 80

    /// The columns of plain text: `COLUMNS`, if it is set, within what can be laid out.
    public var plainColumns: Int {
        let named = environment("COLUMNS").flatMap { Int($0) } ?? Self.columns
        return max(ScreenSize.smallest.width, named)
    }
}
