// ScreenPage: the lines of a whole screen: the visible part of a composition and what is below it.
//
// Layer      terminal, screen.
// Isolation  @MainActor.

/// A composition cut to a terminal's size, with the line of keys and the status line.
public struct ScreenPage {
    /// Exactly as many as the terminal has, none wider than it.
    public let lines: [StyledLine]
    /// How far the page is scrolled, within what there is.
    public let offset: Int

    /// Lines of a screen that are not the view's: keys, status.
    public static let barLines = 2

    public init(
        _ composition: Composition, bar: StatusBar, keys: [KeyBinding], size: ScreenSize,
        offset: Int = 0
    ) {
        guard !size.isTooSmall else {
            self.offset = 0
            lines = size.complaint
            return
        }
        let room = size.height - Self.barLines
        let overflow = max(0, composition.lines.count - room)
        self.offset = min(max(0, offset), overflow)
        var shown = Array(composition.lines.dropFirst(self.offset).prefix(room))
        if self.offset > 0, !shown.isEmpty {
            shown[0] = StyledLine("↑ \(self.offset) more", .dim)
        }
        if self.offset < overflow, shown.count > 1 {
            shown[shown.count - 1] = StyledLine("↓ \(overflow - self.offset + 1) more", .dim)
        }
        shown += Array(repeating: StyledLine(), count: room - shown.count)
        lines =
            shown.map { $0.fitted(to: size.width) }
            + [StatusBar.keys(keys, width: size.width), bar.line(width: size.width)]
    }
}
