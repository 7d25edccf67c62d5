// OverlayCells: a box over other elements: a modal, a dialog.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.
// Invariant  covered elements can be seen, dimmed, and neither focused nor clicked.

import NapkinElements

/// A box over other elements. If it would leave nothing of them visible, it takes the whole page.
struct OverlayCells: CellElement {
    /// The width of a box with little content, in cells. Chosen.
    static let leastWidth = 36
    /// The width of a box with much content, in cells. Chosen: what an eye takes in.
    static let greatestWidth = 96
    /// Cells and lines of the covered elements that must stay visible.
    static let leastMargin = 4
    let base: any CellElement
    let title: String
    /// The title where there is no screen.
    let plainTitle: String
    let content: any CellElement

    private var box: GroupCells { GroupCells(title: StyledLine(title, .title), content: content) }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let box = box.extent(in: width, pass)
        return Extent(
            width: width, height: box.height, leastHeight: box.leastHeight, fillsWidth: true,
            fillsHeight: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear {
            return [StyledLine("── \(plainTitle) ──", .accent).fitted(to: area.width)]
                + content.draw(in: area, pass)
        }
        // The box shows its title itself.
        let showsPath = pass.showsPath
        defer { pass.showsPath = showsPath }
        var lines = pass.unreachable { base.draw(in: area, pass) }
            .prefix(max(0, area.height)).map(\.faded)
        pass.showsPath = true
        let inner = content.extent(in: max(1, area.width - Self.leastMargin * 2), pass)
        let wanted = max(Self.leastWidth, inner.width + 4, CellWidth.cells(of: title) + 6)
        let width = min(area.width - Self.leastMargin, wanted, Self.greatestWidth)
        let height = box.extent(in: max(1, width), pass).height
        guard width >= Self.leastWidth, height + 1 < area.height else {
            let own = Area(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
            return [StyledLine(title, .title).fitted(to: area.width)]
                + content.draw(in: own, pass)
        }
        let x = (area.width - width) / 2
        let y = (area.height - height) / 3
        let own = Area(x: area.x + x, y: area.y + y, width: width, height: height)
        let over = box.draw(in: own, pass)
        while lines.count < y + over.count { lines.append(StyledLine()) }
        for (index, line) in over.enumerated() {
            lines[y + index] = lines[y + index].covered(from: x, by: line.padded(to: width))
        }
        return lines
    }
}
