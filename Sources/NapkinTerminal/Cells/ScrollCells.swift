// ScrollCells: a window over elements that need more lines than there are.
//
// Layer      terminal, cells.
// Isolation  @MainActor; a value.
// Invariant  what is out of the window can be focused, and not be clicked.

import NapkinElements

/// A window over elements. As plain text it shows all of them.
struct ScrollCells: CellElement {
    let memory: ScrollMemory
    let content: any CellElement

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        var extent = content.extent(in: width, pass)
        if !pass.isLinear {
            extent.leastHeight = min(extent.leastHeight, ListCells.leastLines)
        }
        return extent
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let natural = content.extent(in: area.width, pass).height
        guard !pass.isLinear, natural > area.height, area.width > 1, area.height > 0 else {
            return content.draw(in: area, pass)
        }
        // The mark takes a cell.
        let width = area.width - 1
        let whole = Area(
            x: area.x, y: area.y, width: width, height: content.extent(in: width, pass).height)
        let (lines, targets, caret) = pass.capturing { content.draw(in: whole, pass) }
        let focused = targets.first { $0.key == pass.focus && !$0.isRegion }
        let top = (focused?.area.y ?? area.y) - area.y
        memory.settle(
            count: lines.count, lines: area.height, focus: focused.map { AnyHashable($0.key) },
            at: top..<top + (focused.map { $0.area.height + $0.reaction.linesBelow } ?? 0))
        let own = Area(x: area.x, y: area.y, width: area.width, height: area.height)
        pass.region(own, FocusTarget.Reaction(wheel: { [memory] in memory.scroll(by: $0) }))
        pass.register(targets.map { moved($0, in: own) })
        if let caret, (area.y..<area.y + area.height).contains(caret.y - memory.offset) {
            pass.putCaret(x: caret.x, y: caret.y - memory.offset)
        }
        let isFocused = targets.allSatisfy(\.isRegion) && pass.target("scroll", in: own, reaction)
        let shown = lines.dropFirst(memory.offset).prefix(area.height)
        return shown.enumerated().map { row, line in
            line.fitted(to: width).padded(to: width)
                + Self.mark(
                    row, of: area.height, in: lines.count, from: memory.offset,
                    isFocused: isFocused)
        }
    }

    /// Returns a target where it is seen, which also scrolls the window.
    private func moved(_ target: FocusTarget, in window: Area) -> FocusTarget {
        var moved = target
        let top = target.area.y - memory.offset
        moved.area.y = top
        let start = max(top, window.y)
        let end = min(top + target.area.height, window.y + window.height)
        if start < end {
            (moved.area.y, moved.area.height) = (start, end - start)
        } else {
            moved.area.height = 0
        }
        let (memory, inner, hidden) = (memory, target.reaction, start - top)
        moved.reaction.press = { key in
            if inner.press(key) {
                memory.showFocus()
                return true
            }
            guard [.pageUp, .pageDown, .home, .end].contains(key) else { return false }
            return memory.press(key)
        }
        moved.reaction.click = { inner.click($0, $1 + (start < end ? hidden : 0)) }
        moved.reaction.wheel = { inner.wheel($0) || memory.scroll(by: $0) }
        moved.reaction.insert = inner.insert.map { insert in
            { text in
                memory.showFocus()
                insert(text)
            }
        }
        return moved
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [memory] in memory.press($0) }, wheel: { [memory] in memory.scroll(by: $0) })
    }

    /// Marks the place of a window of `lines` in `count` lines.
    static func mark(
        _ row: Int, of lines: Int, in count: Int, from offset: Int, isFocused: Bool = false
    ) -> StyledLine {
        let size = max(1, lines * lines / max(1, count))
        let start = (lines - size) * offset / max(1, count - lines)
        let isThumb = (start..<start + size).contains(row)
        return StyledLine(
            isThumb ? "┃" : "│", isFocused ? .focus : isThumb ? .accent : .border)
    }
}
