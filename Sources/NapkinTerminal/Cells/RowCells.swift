// RowCells: elements beside one another: columns of a page, or buttons that flow into lines.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// Elements beside one another.
///
/// An element without a frame has its natural width; one that fills its width shares the remaining
/// room.
struct RowCells: CellElement {
    let members: [any CellElement]
    /// Cells between two members.
    let spacing: Int
    /// With fewer cells, the members are below one another.
    let stackedBelow: Int

    private func isStacked(_ width: Int, _ pass: LayoutPass) -> Bool {
        pass.isLinear || width < stackedBelow
    }

    private var stack: ColumnCells { ColumnCells(members: members, spacing: 0) }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        if isStacked(width, pass) { return stack.extent(in: width, pass) }
        return extent(of: widths(in: width, pass), pass)
    }

    private func extent(of widths: [Int], _ pass: LayoutPass) -> Extent {
        let extents = zip(members, widths).map { $0.extent(in: $1, pass) }
        return Extent(
            width: widths.reduce(spacing * max(0, members.count - 1), +),
            height: extents.map(\.height).max() ?? 0,
            leastHeight: extents.map(\.leastHeight).max(),
            fillsWidth: extents.contains(where: \.fillsWidth)
                || members.contains { FrameCells.of($0)?.share != nil },
            fillsHeight: extents.contains(where: \.fillsHeight))
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if isStacked(area.width, pass) { return stack.draw(in: area, pass) }
        let widths = widths(in: area.width, pass)
        let extent = extent(of: widths, pass)
        let height = extent.fillsHeight ? area.height : min(area.height, extent.height)
        var lines: [StyledLine] = []
        var x = 0
        for (member, width) in zip(members, widths) where x < area.width {
            let room = min(width, area.width - x)
            let own = Area(x: area.x + x, y: area.y, width: room, height: height)
            let drawn = member.draw(in: own, pass)
            for (index, line) in drawn.enumerated() {
                if index == lines.count { lines.append(StyledLine()) }
                lines[index] = lines[index].padded(to: x) + line.fitted(to: room)
            }
            x += width + spacing
        }
        return lines
    }

    private func widths(in width: Int, _ pass: LayoutPass) -> [Int] {
        let extents = members.map { $0.extent(in: width, pass) }
        let shares: [Int] = zip(members, extents).map { member, extent in
            let frame = FrameCells.of(member)
            return frame?.share ?? (frame?.width == nil && extent.fillsWidth ? 1 : 0)
        }
        var widths: [Int] = members.indices.map { index in
            if shares[index] > 0 { return 0 }
            return min(width, FrameCells.of(members[index])?.width ?? extents[index].width)
        }
        var rest = max(0, width - spacing * max(0, members.count - 1))
        if extents.contains(where: { $0.priority != 0 }) {
            // Who has a greater priority has its width first; a share has none of its own.
            let order = extents.indices.sorted {
                (-extents[$0].priority, $0) < (-extents[$1].priority, $1)
            }
            for index in order {
                widths[index] = min(widths[index], rest)
                rest -= widths[index]
            }
        } else {
            rest = max(0, rest - widths.reduce(0, +))
        }
        var parts = shares.reduce(0, +)
        for index in widths.indices where shares[index] > 0 {
            widths[index] = rest * shares[index] / parts
            rest -= widths[index]
            parts -= shares[index]
        }
        return widths
    }
}

/// Small elements beside one another, such as buttons, in as many lines as they need.
struct FlowCells: CellElement {
    let members: [any CellElement]
    /// Cells between two members.
    let spacing: Int

    /// Returns where each element begins, and how many lines there are.
    private func places(_ width: Int, _ pass: LayoutPass) -> (places: [Area], lines: Int) {
        var places: [Area] = []
        var (x, y) = (0, 0)
        for member in members {
            let extent = member.extent(in: width, pass)
            guard extent.height > 0 else {
                places.append(Area(x: x, y: y, width: 0, height: 0))
                continue
            }
            let cells = min(width, extent.width)
            if x > 0, x + cells > width { (x, y) = (0, y + 1) }
            places.append(Area(x: x, y: y, width: cells, height: 1))
            x += cells + spacing
        }
        return (places, places.contains { $0.height > 0 } ? y + 1 : 0)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let (places, lines) = places(width, pass)
        return Extent(width: places.map { $0.x + $0.width }.max() ?? 0, height: lines)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let (places, count) = places(area.width, pass)
        var lines = Array(repeating: StyledLine(), count: count)
        for (member, place) in zip(members, places) where place.height > 0 {
            let own = Area(
                x: area.x + place.x, y: area.y + place.y, width: place.width, height: 1)
            guard let line = member.draw(in: own, pass).first else { continue }
            lines[place.y] = lines[place.y].padded(to: place.x) + line
        }
        return lines
    }
}
