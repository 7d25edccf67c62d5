// GroupCells: a border with a title around elements.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// A border with a title around elements.
///
/// As plain text the title is a line, and the content is indented below it. The same happens when
/// there are not enough cells or lines for a border.
struct GroupCells: CellElement {
    /// The least width for a border, in cells. Chosen: a third of fewer would be border.
    private static let leastWidth = 12
    /// Shown in the upper border; empty for none.
    let title: StyledLine
    let content: any CellElement

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let isBare = pass.isLinear || width < Self.leastWidth
        let inner = content.extent(in: max(1, width - (isBare ? 2 : 4)), pass)
        return Extent(
            width: max(inner.width + 4, title.cells + 6),
            height: inner.height + (isBare ? 1 : 2), leastHeight: inner.leastHeight + 1,
            fillsWidth: true, fillsHeight: inner.fillsHeight)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let inner = Area(
            x: area.x + 2, y: area.y + 1, width: max(1, area.width - 4),
            height: area.height == .max ? .max : area.height - 2)
        // Nothing inside a border is scrolled by the page.
        let least = pass.isLinear ? 0 : content.extent(in: inner.width, pass).leastHeight
        guard !pass.isLinear, area.width >= Self.leastWidth, least <= inner.height else {
            return bare(area, pass)
        }
        var lines = content.draw(in: inner, pass).prefix(inner.height).map { line in
            side + StyledLine(" ") + line.fitted(to: inner.width).padded(to: inner.width)
                + StyledLine(" ") + side
        }
        let empty = side + StyledLine(String(repeating: " ", count: area.width - 2)) + side
        while inner.height != .max, lines.count < inner.height { lines.append(empty) }
        return [top(area.width)] + lines + [bottom(area.width)]
    }

    /// Draws the content without a border.
    private func bare(_ area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let inner = Area(
            x: area.x + 2, y: area.y + 1, width: max(1, area.width - 2),
            height: area.height == .max ? .max : area.height - 1)
        return (title.spans.isEmpty ? [] : [title.fitted(to: area.width)])
            + content.draw(in: inner, pass).map { $0.indented(by: 2).fitted(to: area.width) }
    }

    private var side: StyledLine { StyledLine("│", .border) }

    private func top(_ width: Int) -> StyledLine {
        let name =
            title.spans.isEmpty
            ? title : (StyledLine(" ") + title + StyledLine(" ")).fitted(to: width - 4)
        let rest = String(repeating: "─", count: width - 3 - name.cells)
        return StyledLine("┌─", .border) + name + StyledLine(rest + "┐", .border)
    }

    private func bottom(_ width: Int) -> StyledLine {
        StyledLine("└" + String(repeating: "─", count: width - 2) + "┘", .border)
    }
}
