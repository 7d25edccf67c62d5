// GroupCells: a border with a title around elements.

import NapkinElements

/// A border with a title around elements.
///
/// In plain text, or without enough cells or lines for a border, the title is a line and the
/// content is indented below it.
struct GroupCells: CellElement {
    /// The least width for a border, in cells. Chosen: a third of a narrower box would be border.
    private static let leastWidth = 12
    /// Shown in the upper border; empty for none.
    let title: StyledLine
    let content: CellNode

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let inner = content.laid(proposal.inset(by: 4, 2), pass)
        let isNarrow = proposal.width.map { $0 < Self.leastWidth } ?? false
        let isShort = proposal.isTight && inner.size.height + 2 > proposal.height ?? .max
        if pass.isLinear || isNarrow || isShort { return bare(proposal, pass) }
        let width = proposal.width ?? max(inner.size.width + 4, title.cells + 6)
        let size = CellSize(width: width - 4, height: inner.size.height)
        let inside = Laid(size, [Laid.Child(laid: inner)], pass)
        return Laid(width: width, height: size.height + 2) { area in
            let own = Area(x: area.x + 2, y: area.y + 1, width: size.width, height: size.height)
            let lines = inside.draw(own)
            let rows = (0..<max(0, area.height - 2)).map { row in
                side + StyledLine(" ")
                    + (row < lines.count ? lines[row] : StyledLine()).padded(to: size.width)
                    + StyledLine(" ") + side
            }
            return [top(width)] + rows + [bottom(width)]
        }
    }

    /// The content without a border.
    private func bare(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let lines = title.spans.isEmpty ? 0 : 1
        let inner = content.laid(proposal.inset(by: 2, lines), pass)
        let width = proposal.width ?? max(inner.size.width + 2, title.cells)
        return Laid(
            CellSize(width: width, height: inner.size.height + lines),
            [
                Laid.Child(laid: Laid(lines == 0 ? [] : [title.fitted(to: width)])),
                Laid.Child(laid: inner, x: 2, y: lines),
            ], pass)
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
