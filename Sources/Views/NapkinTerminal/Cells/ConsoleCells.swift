// ConsoleCells: draws a program's terminal in the room that it has.
//
// Invariant  each run takes the cells that the program's terminal has given it, however wide its
//            characters are here.

import NapkinCore
import NapkinElements

struct ConsoleCells: CellElement {
    /// The least height of a console. Chosen: a line, and the line before it.
    private static let leastLines = 2
    let console: ConsoleElement

    private var screen: ConsoleScreen { console.screen }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let width = proposal.width ?? screen.columns
        if pass.isLinear {
            let lines = screen.rows.reversed().drop { $0.runs.isEmpty }.reversed()
            return Laid(lines.map { $0.line.fitted(to: width) })
        }
        let height = max(Self.leastLines, proposal.height ?? screen.rows.count)
        return Laid(width: width, height: height) { draw(in: $0, pass) }
    }

    private func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        let cursor = screen.cursor
        // If the screen is larger, the part around the cursor is shown.
        let top = max(
            0, min((cursor?.row ?? 0) - area.height + 1, screen.rows.count - area.height))
        let left = max(0, (cursor?.column ?? 0) - area.width + 1)
        let isFocused =
            console.isEnabled
            && pass.target("console", of: console.memory, in: area, reaction(top, left))
        if isFocused {
            console.memory.fit(rows: area.height, columns: area.width)
            if let cursor {
                pass.putCaret(x: area.x + cursor.column - left, y: area.y + cursor.row - top)
            }
        }
        return screen.rows[top...].prefix(area.height).map { row in
            let line = row.line
            return (left > 0 ? line.dropping(left) : line).exactly(area.width)
        }
    }

    private func reaction(_ top: Int, _ left: Int) -> FocusTarget.Reaction {
        var reaction = FocusTarget.Reaction(
            press: { [console] key in
                console.send(.key(key == .backTab ? "Shift+Tab" : key.domName))
                return true
            },
            click: { [console] x, y in console.send(.click(row: y + top, column: x + left)) },
            wheel: { [console] lines, x, y in
                console.send(.wheel(row: y + top, column: x + left, lines: lines))
                return true
            },
            insert: { [console] text in
                console.send(.paste(text))
                return true
            })
        // Passed as text: as a paste, the program would not take the letters as commands.
        reaction.type = { [console] text in console.send(.text(text)) }
        reaction.takesAllKeys = true
        return reaction
    }
}

extension ConsoleRow {
    /// The row as a line of as many cells as its runs have.
    nonisolated fileprivate var line: StyledLine {
        StyledLine(
            spans: runs.map { run in
                let span = TextSpan(run.text, style: run.style)
                let line = StyledLine(spans: [span])
                if line.cells == run.cells { return span }
                // Characters that are wider or narrower here would move the rest of the row.
                return span.with(line.exactly(run.cells).text)
            })
    }
}
