// ListCells: lines of which one is selected, in the available room.
//
// Layer      terminal, cells.
// Isolation  @MainActor; values.

import NapkinElements

/// Lines of which one is selected; they scroll if there are more than fit.
struct ListCells: CellElement {
    /// The least number of lines of a list, if it has as many items.
    static let leastLines = 3
    /// The items whose lines say how wide a list is. Chosen: more than a dialog shows.
    private static let measuredMax = 100
    private let list: ListElement
    private let row: (Int) -> StyledLine

    /// - Parameter row: an item's line, if it is not the list's own.
    init(list: ListElement, row: ((Int) -> StyledLine)? = nil) {
        self.list = list
        self.row = row ?? list.row
    }

    private var count: Int { list.count }
    private var memory: ListMemory { list.memory }

    private func line(_ index: Int, _ width: Int) -> StyledLine {
        let item = row(index)
        guard let aside = list.aside?(index), !aside.isEmpty else {
            return item.fitted(to: width)
        }
        let whole = item + StyledLine("  ") + StyledLine(aside, .secondary)
        return whole.cells <= width ? whole : item.fitted(to: width)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let least = pass.isLinear ? count : min(count, Self.leastLines)
        let measured = 0..<min(count, Self.measuredMax)
        return Extent(
            width: measured.map { line($0, width).cells }.max() ?? 0, height: count,
            leastHeight: least, fillsWidth: true)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        if pass.isLinear { return (0..<count).map { row($0).fitted(to: area.width) } }
        let lines = min(count, max(1, area.height))
        guard lines > 0 else { return [] }
        memory.settle(lines: lines)
        let own = Area(x: area.x, y: area.y, width: area.width, height: lines)
        let isFocused = list.isEnabled && pass.target("list", in: own, reaction)
        let isLong = count > lines && area.width > 1
        let width = isLong ? max(1, area.width - 1) : area.width
        return (0..<lines).map { row in
            let index = memory.offset + row
            var line = line(index, width)
            if index == memory.selection {
                line = line.padded(to: width).inRole(isFocused ? .focus : .selection)
            }
            guard isLong else { return line }
            return line.padded(to: width)
                + ScrollCells.mark(row, of: lines, in: count, from: memory.offset)
        }
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [list, memory] key in
                if key == .enter, let choose = list.choose, memory.count > 0 {
                    choose(memory.selection)
                    return true
                }
                if memory.count > 0, list.press(key, memory.selection) { return true }
                guard let target = memory.target(of: key) else { return false }
                list.select(target)
                return true
            },
            click: { [list, memory] _, y in
                let index = memory.offset + y
                guard index < memory.count else { return }
                if index == memory.selection {
                    list.choose?(index)
                } else {
                    list.select(index)
                }
            }, wheel: { [memory] in memory.scroll(by: $0) })
    }
}
