// ScrollCells: a scrolling window over elements that do not fit.
//
// Invariant  elements outside the window can be focused but not clicked.

import NapkinElements

/// A scrolling window over elements. Plain text shows all of them.
struct ScrollCells: CellElement {
    let memory: ScrollMemory
    let content: CellNode

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        var inner = Proposal(width: proposal.width)
        let whole = content.laid(inner, pass)
        let (width, natural) = (proposal.width ?? whole.size.width, whole.size.height)
        let least = min(natural, ListCells.leastLines)
        let height = max(least, min(natural, proposal.height ?? .max))
        guard !pass.isLinear, natural > height, width > 1 else { return whole }
        // The scroll mark takes a cell.
        inner.width = width - 1
        let size = CellSize(width: width - 1, height: content.laid(inner, pass).size.height)
        let long = Laid(size, [Laid.Child(laid: content.laid(inner, pass))], pass)
        return Laid(width: width, height: height) { draw(long, in: $0, pass) }
    }

    private func draw(_ long: Laid, in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let width = long.size.width
        let whole = Area(x: area.x, y: area.y, width: width, height: long.size.height)
        let (drawn, targets, caret) = pass.capturing { long.draw(whole) }
        let lines = drawn + Array(repeating: StyledLine(), count: whole.height - drawn.count)
        let focused = targets.first { $0.key == pass.focus && !$0.isRegion }
        let top = (focused?.area.y ?? area.y) - area.y
        memory.layOut(
            count: lines.count, lines: area.height, focus: focused.map { AnyHashable($0.key) },
            at: top..<top + (focused.map { $0.area.height + $0.reaction.linesBelow } ?? 0))
        pass.region(area, reaction)
        pass.register(targets.map { moved($0, in: area) })
        if let caret, (area.y..<area.y + area.height).contains(caret.y - memory.offset) {
            pass.putCaret(x: caret.x, y: caret.y - memory.offset)
        }
        let isFocused = targets.allSatisfy(\.isRegion) && pass.target("scroll", in: area, reaction)
        let shown = lines.dropFirst(memory.offset).prefix(area.height)
        return shown.enumerated().map { row, line in
            line.fitted(to: width).padded(to: width)
                + Self.mark(
                    row, of: area.height, in: lines.count, from: memory.offset,
                    isFocused: isFocused)
        }
    }

    /// Returns the target at its visible position; its keys and wheel also scroll the window.
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
        moved.reaction.wheel = { inner.wheel($0, $1, $2) || memory.scroll(by: $0) }
        moved.reaction.insert = inner.insert.map { insert in
            { text in
                memory.showFocus()
                return insert(text)
            }
        }
        return moved
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [memory] in memory.press($0) },
            wheel: { [memory] lines, _, _ in memory.scroll(by: lines) })
    }

    /// Draws a row of the scroll mark for a window of `lines` in `count` lines.
    static func mark(
        _ row: Int, of lines: Int, in count: Int, from offset: Int, isFocused: Bool = false
    ) -> StyledLine {
        let size = max(1, lines * lines / max(1, count))
        let start = (lines - size) * offset / max(1, count - lines)
        let isThumb = (start..<start + size).contains(row)
        return StyledLine(isThumb ? "┃" : "│", isFocused ? .focus : isThumb ? .accent : .border)
    }
}
