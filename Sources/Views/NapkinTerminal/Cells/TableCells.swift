// TableCells: rows in aligned columns, with a heading.
//
// Invariant  a column has the same width in every row. A cell breaks between its words; if rows can
//            be selected, each row is one line, and is cut.

import NapkinElements

/// Rows in columns. With a model, a row can be selected and the rows scroll under their heading.
struct TableCells: CellElement {
    /// The least width of a column, in cells, while there is room. Chosen: two characters and `…`.
    private static let leastCells = 3
    private static let gap = 2
    /// The most rows measured for a scrolling table's column widths. Chosen: measured in less
    /// time than a person notices.
    private static let measuredMax = 1000
    /// The least number of rows of a table: with its heading, it is then as tall as a list.
    private static let leastRows = ListCells.leastLines - 1
    let table: TableElement

    private var columns: [TableColumn] { table.columns }
    private var rows: [[String]] { table.rows }

    var heedsHeight: Bool { table.list != nil }

    func laid(_ proposal: Proposal, _ pass: LayoutPass) -> Laid {
        let isScrolling = table.list != nil && !pass.isLinear
        let least = min(rows.count, Self.leastRows) + 1
        let height = max(least, min(rows.count + 1, proposal.height ?? .max))
        // The scroll mark takes a cell.
        let mark = isScrolling && rows.count >= height ? 1 : 0
        let widths = widths(in: max(1, (proposal.width ?? Proposal.infinity) - mark))
        let natural = widths.reduce(Self.gap * max(0, widths.count - 1) + mark, +)
        let width = proposal.width.map { isScrolling ? $0 : min($0, natural) } ?? natural
        guard !isScrolling else {
            return Laid(width: width, height: height) { draw(in: $0, widths, pass) }
        }
        let count = rows.reduce(1) { $0 + Self.height(of: broken($1, widths)) }
        return Laid(width: width, height: count) { area in
            [heading(in: area, widths, pass)]
                + rows.flatMap { lines($0, widths) }.map { $0.fitted(to: area.width) }
        }
    }

    private func text(_ row: [String], _ column: Int) -> String {
        row.indices.contains(column) ? row[column] : ""
    }

    /// The columns' titles; in a sortable table, with room for the mark of the order.
    private var headings: [String] {
        columns.enumerated().map { index, column in
            guard table.sortBy != nil else { return column.title }
            guard let sort = table.sort, sort.column == index else { return column.title + "  " }
            return column.title + (sort.order == .forward ? " ▲" : " ▼")
        }
    }

    /// Returns for each column the greatest measure of its texts, at least its heading's width.
    private func naturalWidths(_ cells: (StyledLine) -> Int) -> [Int] {
        let measured = table.list == nil ? rows[...] : rows.prefix(Self.measuredMax)
        return headings.enumerated().map { index, heading in
            measured.reduce(CellWidth.cells(of: heading)) {
                max($0, cells(StyledLine(text($1, index))))
            }
        }
    }

    /// Returns the columns' widths. Leaves out optional columns first, with a width of -2, minus a
    /// gap, then shrinks the widest columns.
    func widths(in width: Int) -> [Int] {
        var widths = naturalWidths(\.cells)
        var excess = widths.reduce(Self.gap * max(0, widths.count - 1), +) - width
        for index in columns.indices.reversed() where excess > 0 && columns[index].isOptional {
            excess -= widths[index] + Self.gap
            widths[index] = -Self.gap
        }
        return widths.shrunk(
            to: widths.reduce(0, +) - excess, words: naturalWidths(\.wordCells),
            least: Self.leastCells)
    }

    /// Returns a row's cells, each broken between its words.
    private func broken(_ row: [String], _ widths: [Int]) -> [[StyledLine]] {
        columns.indices.map { StyledLine(text(row, $0)).wrapped(to: widths[$0]) }
    }

    private static func height(of cells: [[StyledLine]]) -> Int {
        max(1, cells.map(\.count).max() ?? 0)
    }

    private func lines(_ row: [String], _ widths: [Int]) -> [StyledLine] {
        let cells = broken(row, widths)
        return (0..<Self.height(of: cells)).map { index in
            line(cells.map { $0.dropFirst(index).first?.text ?? "" }, widths, .plain)
        }
    }

    private func line(_ row: [String], _ widths: [Int], _ role: TextRole) -> StyledLine {
        var line = StyledLine()
        var end = 0
        let shown = columns.indices.filter { widths[$0] >= 0 }
        for index in shown {
            let column = columns[index]
            let cell = StyledLine(text(row, index), role).fitted(to: widths[index])
            let before = column.alignment.offset(of: cell.cells, in: widths[index])
            let gap = index == shown.first ? 0 : Self.gap
            line = line + StyledLine(String(repeating: " ", count: before + gap), role) + cell
            guard index != shown.last else { break }
            end += gap + widths[index]
            line = line.padded(to: end, role)
        }
        return line
    }

    private func heading(in area: Area, _ widths: [Int], _ pass: LayoutPass) -> StyledLine {
        let heading = line(headings, widths, .secondary).fitted(to: area.width)
        if let sortBy = table.sortBy {
            let own = Area(x: area.x, y: area.y, width: area.width, height: 1)
            pass.region(
                own,
                FocusTarget.Reaction(click: { x, _ in
                    var end = 0
                    for (index, width) in widths.enumerated() where width >= 0 {
                        end += width + Self.gap
                        if x < end { return sortBy(index) }
                    }
                }))
        }
        return heading
    }

    private func draw(in area: Area, _ widths: [Int], _ pass: LayoutPass) -> [StyledLine] {
        guard let list = table.list else { return [] }
        let own = Area(x: area.x, y: area.y + 1, width: area.width, height: area.height - 1)
        let shown = ListCells(list: list) {
            line(rows[list.item($0)], widths, .plain).marking(list.memory.words)
        }
        return [heading(in: area, widths, pass)] + shown.draw(in: own, pass)
    }
}
