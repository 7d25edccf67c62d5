// ScreenPage: a whole screen's lines: the visible part of a composition, and the bars around it.

internal import Glibc
package import NapkinElements

struct ScreenPage {
    /// The lines, exactly as many as the terminal has, none wider than it.
    let lines: [StyledLine]
    /// How far the page is scrolled, limited to its length.
    let offset: Int
    /// The regions that can be focused and clicked, in coordinates of the screen.
    let targets: [FocusTarget]
    /// The targets that are visible, if only in part.
    let seen: Set<FocusKey>
    let window: Range<Int>
    let caret: (x: Int, y: Int)?

    /// Lines of a screen that do not belong to the view: keys, status.
    static let barLines = 2
    /// The least lines of a view that gives `↑ 3 more` a line. Chosen: smaller ones need all.
    private static let markHeight = 4
    /// The least limit of a notice, in lines. Chosen: the lines of the smallest terminal, without
    /// the keys' line; on a taller one, a notice takes up to half of it.
    private static let noticeLines = ScreenSize.smallest.height - 1
    /// The least lines of a terminal that shows the path. Chosen: a lower one has no room.
    static let pathHeight = 8

    init(
        _ composition: PageLayout, bar: StatusBar, keys: [KeyBinding],
        prompt: StyledLine? = nil, size: ScreenSize,
        offset: Int = 0, sight: FocusKey? = nil, takesText: Bool = false
    ) {
        guard !size.isTooSmall else {
            self.offset = 0
            lines = size.complaint
            targets = []
            seen = []
            window = 0..<0
            caret = nil
            return
        }
        let path = Self.path(composition, size) + composition.banner
        let room = size.height - Self.barLines - path.count
        let overflow = max(0, composition.lines.count - room)
        let wanted = composition.targets.first { $0.key == sight }
            .map { target in
                var area = target.area
                area.height += target.reaction.linesBelow
                return Self.offset(offset, showing: area, room: room)
            }
        let offset = min(max(0, wanted ?? offset), overflow)
        self.offset = offset
        var shown = Array(composition.lines.dropFirst(offset).prefix(room))
        let (above, below) = (offset, overflow - offset)
        let hasMarks = room >= Self.markHeight
        if hasMarks {
            if above > 0 { shown[0] = StyledLine("↑ \(above) more", .secondary) }
            if below > 0 { shown[room - 1] = StyledLine("↓ \(below + 1) more", .secondary) }
        } else {
            if above > 0 { shown[0] = Self.marked(shown[0], "↑\(above)", size.width) }
            if below > 0 { shown[room - 1] = Self.marked(shown[room - 1], "↓\(below)", size.width) }
        }
        shown += Array(repeating: StyledLine(), count: room - shown.count)
        let status = bar.lines(
            width: size.width, most: min(room + 1, max(Self.noticeLines, size.height / 2)))
        // A notice covers the page's last lines until it ends.
        let covered = status.count - 1
        let top = hasMarks && above > 0 ? 1 : 0
        let free = top..<max(top, room - max(covered, hasMarks && below > 0 ? 1 : 0))
        window = path.count + free.lowerBound..<path.count + free.upperBound
        let targets = composition.targets.map { target in
            var moved = target
            moved.area.y += path.count - offset
            return moved
        }
        self.targets = targets
        let seen = targets.filter { target in
            let top = target.area.y - path.count
            return free.contains(top) || (top < 0 && top + target.area.height > free.lowerBound)
        }
        self.seen = Set(seen.map(\.key))
        caret = composition.caret.flatMap { caret in
            let y = caret.y - offset
            return free.contains(y) ? (caret.x, y + path.count) : nil
        }
        let named = keys.filter { key in
            key.isNamed && !seen.contains { $0.reaction.key == key.key }
        }
        lines =
            path + shown.dropLast(covered).map { $0.fitted(to: size.width) }
            + [
                prompt?.fitted(to: size.width)
                    ?? StatusBar.keys(named, width: size.width, takesText: takesText)
            ] + status
    }

    /// Returns the target at a cell of the screen, unless it is scrolled under the bars.
    func target(_ x: Int, _ y: Int) -> FocusTarget? {
        guard window.contains(y) else { return nil }
        return targets.last { $0.area.contains(x: x, y: y) }
    }

    /// Returns `Smokey Joe › Pit Board`, if one view has led to another.
    private static func path(_ composition: PageLayout, _ size: ScreenSize) -> [StyledLine] {
        guard !composition.path.isEmpty else { return [] }
        let last = composition.path.last ?? ""
        let before = composition.path.dropLast().map { "\($0) › " }.joined()
        let way = StyledLine(before, .secondary) + StyledLine(last, .title)
        guard way.cells > size.width else { return [way] }
        return [(StyledLine("… › ", .secondary) + StyledLine(last, .title)).fitted(to: size.width)]
    }

    /// Returns a line whose end tells how much more there is, for a view without room for a
    /// separate line.
    private static func marked(_ line: StyledLine, _ mark: String, _ width: Int) -> StyledLine {
        let cells = max(0, width - CellWidth.cells(of: mark) - 1)
        return line.fitted(to: cells).padded(to: cells) + StyledLine(" \(mark)", .secondary)
    }

    /// Scrolls as little as possible, past the lines that `↑ 3 more` takes.
    private static func offset(_ offset: Int, showing area: Area, room: Int) -> Int {
        let mark = room >= markHeight ? 1 : 0
        let bottom = area.y + min(area.height, max(1, room - 2 * mark)) - 1
        if area.y < offset + mark { return area.y - mark }
        if bottom > offset + room - 1 - mark { return bottom - room + 1 + mark }
        return offset
    }
}

/// A terminal's size, and the message if it is too small.
package nonisolated struct ScreenSize: Equatable, Sendable {
    /// The smallest size at which something sensible can be shown. Chosen: the keys' line, the
    /// status line and three lines of a view, as wide as `[b] Back  [q] Quit`.
    package static let smallest = ScreenSize(width: 20, height: 5)

    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    package var isTooSmall: Bool { width < Self.smallest.width || height < Self.smallest.height }

    /// The message shown instead of the screen: both sizes, in as many lines as there are.
    package var complaint: [StyledLine] {
        let isNarrow = width < 18
        let smallest = "\(Self.smallest.width)×\(Self.smallest.height)"
        // On a narrow terminal the needed size matters most, and must not be cut off.
        let needed = isNarrow ? "need \(smallest)" : "needed: \(smallest)"
        let lines =
            height < 3
            ? [StyledLine(needed, .warning)]
            : [
                StyledLine(isNarrow ? "Too small" : "Terminal too small", .warning),
                StyledLine(needed),
                StyledLine("now: \(width)×\(height)"),
            ]
        return lines.prefix(max(0, height)).map { $0.fitted(to: width) }
    }

    /// Returns how far a page is scrolled after a key, before the page limits it to its length.
    @MainActor
    func offset(_ offset: Int, after key: Key) -> Int {
        let lines = max(1, height - ScreenPage.barLines - 1)
        let wanted =
            switch key {
            case .up: offset - 1
            case .down: offset + 1
            case .pageUp: offset - lines
            case .pageDown, .character(" "): offset + lines
            case .home: 0
            case .end: Int.max / 2
            default: offset
            }
        return max(0, wanted)
    }

    /// Returns the size of a descriptor's terminal; `nil` if it is not a terminal or has no size.
    package static func ofTerminal(_ descriptor: Int32) -> ScreenSize? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return ScreenSize(width: Int(size.ws_col), height: Int(size.ws_row))
    }
}
