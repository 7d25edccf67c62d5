// Table: rows in aligned columns, with a heading.
//
// Layer      terminal, elements.
// Isolation  @MainActor; values.
// Invariant  all lines are cut alike: a column has the same width in every row.

/// A column of a table.
public nonisolated struct TableColumn: Hashable, Sendable {
    /// The alignment of a column's texts.
    public enum Alignment: Sendable {
        case leading
        /// The texts end at the right edge, as numbers do.
        case trailing
    }

    public var title: String
    public var alignment: Alignment

    public init(_ title: String, _ alignment: Alignment = .leading) {
        self.title = title
        self.alignment = alignment
    }
}

/// Rows in columns. With a model, a row can be selected, and the rows scroll under their heading.
public struct Table: Element {
    /// Cells that a column keeps as long as there is room. Chosen: two characters and `…`.
    private static let leastCells = 3
    private static let gap = 2
    /// The least number of rows of a table: with its heading it is then as high as a list.
    private static let leastRows = List.leastLines - 1
    private let columns: [TableColumn]
    private let rows: [[String]]
    private let model: ListModel?
    private let choose: ((Int) -> Void)?

    /// - Parameters:
    ///   - columns: from left to right.
    ///   - rows: texts in the order of the columns; missing ones are empty.
    ///   - model: if given, a row can be selected, and the rows scroll.
    ///   - choose: called on Enter, or a second click, on the selected row.
    public init(
        _ columns: [TableColumn], rows: [[String]], selection model: ListModel? = nil,
        primaryAction choose: ((Int) -> Void)? = nil
    ) {
        self.columns = columns
        self.rows = rows
        self.model = model
        self.choose = choose
    }

    public func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let natural = naturalWidths.reduce(Self.gap * max(0, columns.count - 1), +)
        let isLong = model != nil && !pass.isLinear
        let least = isLong ? min(rows.count, Self.leastRows) + 1 : rows.count + 1
        return Extent(
            width: natural, height: rows.count + 1, leastHeight: least, fillsWidth: model != nil)
    }

    private func text(_ row: [String], _ column: Int) -> String {
        row.indices.contains(column) ? row[column] : ""
    }

    private var naturalWidths: [Int] {
        columns.enumerated().map { index, column in
            rows.reduce(CellWidth.cells(of: column.title)) {
                max($0, CellWidth.cells(of: text($1, index)))
            }
        }
    }

    /// Returns the columns' widths. The widest columns shrink first.
    func widths(in width: Int) -> [Int] {
        var widths = naturalWidths
        var excess = widths.reduce(Self.gap * max(0, widths.count - 1), +) - width
        while excess > 0, let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.leastCells
        {
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }

    private func line(_ row: [String], _ widths: [Int], _ role: TextRole) -> StyledLine {
        var line = StyledLine()
        for (index, column) in columns.enumerated() {
            let cell = StyledLine(text(row, index), role).fitted(to: widths[index])
            let missing = widths[index] - cell.cells
            let space = StyledLine(String(repeating: " ", count: max(0, missing)), role)
            let isLast = index == columns.count - 1
            if index > 0 {
                line = line + StyledLine(String(repeating: " ", count: Self.gap), role)
            }
            line = line + (column.alignment == .trailing ? space + cell : cell)
            if column.alignment == .leading, !isLast { line = line + space }
        }
        return line
    }

    public func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        // The mark of a list that does not fit takes a cell.
        let isLong = model != nil && !pass.isLinear && rows.count >= area.height
        let widths = widths(in: max(1, area.width - (isLong ? 1 : 0)))
        let heading = line(columns.map(\.title), widths, .secondary).fitted(to: area.width)
        let lines = rows.map { line($0, widths, .plain) }
        guard let model, !pass.isLinear else {
            return [heading] + lines.map { $0.fitted(to: area.width) }
        }
        let own = Area(
            x: area.x, y: area.y + 1, width: area.width,
            height: area.height == .max ? .max : area.height - 1)
        let list = List(lines, selection: model, row: { Text($0) }, primaryAction: choose)
        return [heading] + list.draw(in: own, pass)
    }
}
