// ColumnCells: elements below one another, and what stands between them.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// Elements below one another.
///
/// If there is not enough room, the spacing is dropped first; then scrolling elements shrink.
struct ColumnCells: CellElement {
    let members: [any CellElement]
    let spacing: Int

    private func gaps(_ extents: [Extent]) -> Int {
        spacing * max(0, extents.count { $0.height > 0 } - 1)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let extents = members.map { $0.extent(in: width, pass) }
        return Extent(
            width: extents.map(\.width).max() ?? 0,
            height: extents.reduce(gaps(extents)) { $0 + $1.height },
            leastHeight: extents.reduce(0) { $0 + $1.leastHeight },
            fillsWidth: extents.contains(where: \.fillsWidth),
            fillsHeight: extents.contains(where: \.fillsHeight))
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let extents = members.map { $0.extent(in: area.width, pass) }
        let isTight = extents.reduce(gaps(extents)) { $0 + $1.height } > area.height
        let space = isTight && !pass.isLinear ? 0 : spacing
        let room = area.height == .max ? .max : area.height - (isTight ? 0 : gaps(extents))
        let heights = Self.heights(extents, room: room)
        var lines: [StyledLine] = []
        for (index, member) in members.enumerated() {
            if !lines.isEmpty, extents[index].height > 0 {
                lines += Array(repeating: StyledLine(), count: space)
            }
            lines += member.draw(
                in: Area(
                    x: area.x, y: area.y + lines.count, width: area.width, height: heights[index]),
                pass)
        }
        return lines
    }

    /// Returns what each element gets of `room` lines.
    static func heights(_ extents: [Extent], room: Int) -> [Int] {
        var heights = extents.map(\.height)
        var rest = room == .max ? 0 : room - heights.reduce(0, +)
        if rest > 0 {
            let filling = extents.indices.filter { extents[$0].fillsHeight }
            for (order, index) in filling.enumerated() {
                let part = rest / (filling.count - order)
                heights[index] += part
                rest -= part
            }
        }
        while rest < 0 {
            // Of the lowest priority, the element with most to spare gives up a line.
            let most = extents.indices.filter { heights[$0] > extents[$0].leastHeight }.max {
                (-extents[$0].priority, heights[$0] - extents[$0].leastHeight)
                    < (-extents[$1].priority, heights[$1] - extents[$1].leastHeight)
            }
            guard let most else { break }
            // A list may have a million lines too many.
            let step = rest < -1000 ? -rest / (4 * extents.count) : 1
            let lines = max(1, min(step, heights[most] - extents[most].leastHeight))
            heights[most] -= lines
            rest += lines
        }
        return heights
    }
}

/// Takes the remaining room in a stack.
struct SpacerCells: CellElement {
    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: 0, height: 0, fillsWidth: true, fillsHeight: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        guard !pass.isLinear, area.height != .max else { return [] }
        return Array(repeating: StyledLine(), count: max(0, area.height))
    }
}

/// A horizontal line. Plain text does not have it.
struct DividerCells: CellElement {
    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        Extent(width: 1, height: pass.isLinear ? 0 : 1, fillsWidth: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        pass.isLinear
            ? [] : [StyledLine(String(repeating: "─", count: max(0, area.width)), .border)]
    }
}
