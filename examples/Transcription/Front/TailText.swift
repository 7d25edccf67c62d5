// TailText: the end of a growing text, in the available room.
//
// Layer      example, front.
// Isolation  @MainActor; a value. An element that this app defines: the library's begin at the top.

import NapkinTerminal

/// A text of which the last lines are visible.
struct TailText: Element {
    /// The least number of lines. Chosen: a sentence and the beginning of the next.
    private static let leastLines = 2
    let text: StyledLine

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let lines = text.wrapped(to: width)
        return Extent(
            width: lines.map(\.cells).max() ?? 0, height: lines.count,
            leastHeight: pass.isLinear ? lines.count : min(lines.count, Self.leastLines),
            fillsWidth: true, fillsHeight: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        text.wrapped(to: area.width).suffix(max(0, area.height))
    }
}
