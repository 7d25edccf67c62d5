// OverlayCells: a box over other elements: a modal or a dialog.
//
// Invariant  covered elements are visible but dimmed, and can be neither focused nor clicked.
//            A box grows with its content, and does not shrink while it is shown.

import NapkinElements

/// A box over other elements, which takes the whole page if none of them would stay visible.
struct OverlayCells: CellElement {
    /// The width of a box with little content, in cells. Chosen: a question and its buttons fit.
    static let leastWidth = 36
    /// The width of a box with much content, in cells. Chosen: as much as an eye takes in.
    static let greatestWidth = 96
    /// The cells and lines of the covered elements that must stay visible.
    static let leastMargin = 4
    private let shown: RenderTurn.Presentation
    private let base: CellNode
    private let content: CellNode
    private let box: CellNode
    private var title: String { shown.title }

    init(_ over: RenderTurn.Presentation, base: CellNode) {
        (shown, self.base, content) = (over, base, over.elements.column)
        box = CellNode(GroupCells(title: StyledLine(over.title, .title), content: content))
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.isLinear {
            let line = StyledLine("── \(shown.plainTitle) ──", .accent)
            return whole(line, proposal, pass)
        }
        let below = base.laid(proposal, pass)
        // The box shows its title itself.
        let before = (pass.showsPath, pass.width)
        defer { (pass.showsPath, pass.width) = before }
        let most = min(pass.width - Self.leastMargin, Self.greatestWidth)
        (pass.showsPath, pass.width) = (true, most - 4)
        let inner = content.laid(Proposal(), pass).size.width
        let wanted = max(
            shown.box.width, Self.leastWidth, inner + 4, CellWidth.cells(of: title) + 6)
        shown.box.width = wanted
        let room = proposal.width ?? max(below.size.width, wanted + Self.leastMargin)
        let width = min(room - Self.leastMargin, wanted, Self.greatestWidth)
        let over = box.laid(Proposal(width: max(0, width)), pass)
        let height = proposal.height ?? max(below.size.height, over.size.height + 2)
        guard width >= Self.leastWidth, over.size.height + 1 < height else {
            pass.width = before.1
            return whole(StyledLine(title, .title), proposal, pass)
        }
        let size = CellSize(width: room, height: height)
        let covered = Laid(size, [Laid.Child(laid: below)], pass)
        return Laid(width: room, height: height) { area in
            var lines = pass.with(\.isReachable, false) { covered.draw(area) }.map(\.faded)
            let x = (room - width) / 2
            let y = (height - over.size.height) / 3
            let own = Area(x: area.x + x, y: area.y + y, width: width, height: over.size.height)
            let drawn = over.draw(own)
            while lines.count < y + drawn.count { lines.append(StyledLine()) }
            for (index, line) in drawn.enumerated() {
                lines[y + index] = lines[y + index].covered(from: x, by: line.padded(to: width))
            }
            return lines
        }
    }

    /// The content alone on the whole page.
    private func whole(_ title: StyledLine, _ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let inner = content.laid(proposal.inset(by: 0, 1), pass)
        let width = proposal.width ?? max(title.cells, inner.size.width)
        return Laid(
            CellSize(width: width, height: max(inner.size.height + 1, proposal.height ?? 0)),
            [
                Laid.Child(laid: Laid([title.fitted(to: width)])),
                Laid.Child(laid: inner, y: 1),
            ], pass)
    }
}
