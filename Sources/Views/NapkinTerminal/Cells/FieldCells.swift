// FieldCells: an editable line of text.
//
// Invariant  the cursor is between clusters, so that one character on the screen is deleted as one.

import NapkinElements

struct FieldCells: LineElement {
    /// The least width of a field, in cells. Chosen: a name or a date fits.
    private static let cells = 24
    let field: FieldElement

    private var memory: FieldMemory { field.memory }

    private var text: String {
        field.isSecure ? String(repeating: "•", count: memory.text.count) : memory.text
    }

    private func problemLines(_ width: Int) -> [StyledLine] {
        field.problem.map { StyledLine("✗ \($0)", .error).wrapped(to: width) } ?? []
    }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = proposal.width ?? max(Self.cells, CellWidth.cells(of: text) + 1)
        if pass.isLinear { return Laid([StyledLine(text).fitted(to: width)]) }
        let problem = problemLines(width)
        return Laid(width: width, height: 1 + problem.count) { draw(in: $0, problem, pass) }
    }

    private func draw(in area: Area, _ problem: [StyledLine], _ pass: LayoutPass) -> [StyledLine] {
        guard area.width > 1 else { return [StyledLine()] }
        let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
        var reaction = reaction
        reaction.linesBelow = problem.count
        let isFocused = field.isEnabled && pass.target("field", of: memory, in: own, reaction)
        let (text, caret) = memory.window(of: text, area.width)
        if isFocused { pass.putCaret(x: area.x + caret, y: area.y) }
        let role: TextRole = isFocused ? .focus : field.isEnabled ? .field : .secondary
        let shown =
            memory.text.isEmpty
            ? StyledLine(field.placeholder, .secondary).fitted(to: area.width)
            : StyledLine(text, role)
        let missing = max(0, area.width - shown.cells)
        return [shown + StyledLine(String(repeating: "_", count: missing), role)] + problem
    }

    private var reaction: FocusTarget.Reaction {
        FocusTarget.Reaction(
            press: { [field, memory] key in
                if key == .enter, let submit = field.submit {
                    submit()
                    return true
                }
                let before = memory.text
                guard memory.press(key) else { return false }
                if memory.text != before { field.write() }
                return true
            }, click: { [memory, text] x, _ in memory.moveCursor(in: text, toCell: x) },
            insert: { [field, memory] text in
                let fits = memory.insert(text)
                field.write()
                return fits
            })
    }
}

extension FieldMemory {
    /// Returns the visible part of the text in `width` cells and the cursor's cell.
    fileprivate func window(of text: String, _ width: Int) -> (text: String, caret: Int) {
        let characters = Array(text)
        offset = min(offset, cursor)
        func cells(_ range: Range<Int>) -> Int {
            range.reduce(0) { $0 + CellWidth.cells(of: String(characters[$1])) }
        }
        // The cursor needs a cell after the text.
        var (start, room) = (cursor, width - 1)
        while start > offset {
            let cells = cells(start - 1..<start)
            guard cells <= room else { break }
            (start, room) = (start - 1, room - cells)
        }
        offset = start
        // At most `width` characters can be visible.
        let rest = characters[offset...].prefix(width)
        let shown = CellWidth.prefix(of: String(rest), width: width).text
        return (shown, min(width - 1, cells(offset..<cursor)))
    }

    /// Moves the cursor to the character in a visible cell.
    fileprivate func moveCursor(in text: String, toCell cell: Int) {
        let characters = Array(text)
        var x = 0
        var index = offset
        while index < characters.count {
            x += CellWidth.cells(of: String(characters[index]))
            if x > cell { break }
            index += 1
        }
        // The text may have become shorter since it was drawn.
        cursor = min(index, self.text.count)
    }
}
