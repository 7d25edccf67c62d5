// ListCells: draws a list with one selected line in the available room.

import NapkinElements

struct ListCells: CellElement {
    /// The least number of lines of a list with at least as many items.
    static let leastLines = 3
    /// The most items measured for a list's width. Chosen: more than a dialog shows.
    private static let measuredMax = 100
    /// The most items of a list in plain text. Chosen: as much as somebody may read.
    private static let plainMax = 1000
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
        guard let aside = list.aside?(index), !aside.isEmpty else { return item.fitted(to: width) }
        let whole = item + StyledLine("  ") + StyledLine(aside, .secondary)
        return whole.cells <= width ? whole : item.fitted(to: width)
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        if pass.isLinear { return Laid(plainLines(proposal.width ?? Proposal.infinity)) }
        // One line says that no item matches the search, or takes the focus while a followed list
        // is still empty.
        let count = memory.words.isEmpty && !list.follows ? count : max(1, count)
        let height = proposal.height.map { max(min(count, Self.leastLines), min(count, $0)) }
        return Laid(width: proposal.width ?? naturalWidth, height: height ?? count) { area in
            draw(in: area, pass)
        }
    }

    private var naturalWidth: Int {
        (0..<min(count, Self.measuredMax)).map { index in
            let aside = list.aside?(index) ?? ""
            return row(index).cells + (aside.isEmpty ? 0 : 2 + CellWidth.cells(of: aside))
        }.max() ?? 0
    }

    /// Returns items as plain text: the first ones, or the last ones if the list follows its end.
    private func plainLines(_ width: Int) -> [StyledLine] {
        let left = max(0, count - Self.plainMax)
        let rows = list.follows ? left..<count : 0..<count - left
        let lines = rows.map { row($0).fitted(to: width) }
        guard left > 0 else { return lines }
        let more = [StyledLine("… \(left) more", .secondary).fitted(to: width)]
        return list.follows ? more + lines : lines + more
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let lines = min(count, max(1, area.height))
        guard lines > 0 else { return nothing(in: area, pass) }
        memory.layOut(lines: lines)
        let own = Area(x: area.x, y: area.y, width: area.width, height: lines)
        let isFocused = list.isEnabled && pass.target("list", of: memory, in: own, reaction)
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

    /// Draws an empty list: after a search without a match, other letters can still be typed. A
    /// list that follows its end can have the focus before it has items.
    private func nothing(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        guard list.isEnabled, list.follows || !memory.words.isEmpty else { return [] }
        let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
        let isFocused = pass.target("list", of: memory, in: own, reaction)
        guard !memory.words.isEmpty else {
            return [StyledLine().padded(to: area.width, isFocused ? .focus : .plain)]
        }
        return [StyledLine("No match for \(memory.words.text).", .secondary).fitted(to: area.width)]
    }

    private var reaction: FocusTarget.Reaction {
        var reaction = FocusTarget.Reaction(
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
            }, wheel: { [memory] lines, _, _ in memory.scroll(by: lines) })
        reaction.words = memory.words
        reaction.filter = { [memory] in memory.filter(by: $0) }
        return reaction
    }
}
