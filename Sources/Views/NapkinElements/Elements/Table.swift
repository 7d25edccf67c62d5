// Table: rows in aligned columns, with a heading.

/// A column of a table.
public nonisolated struct TableColumn: Hashable, Sendable {
    public var title: String
    /// The alignment of a column's texts; numbers are trailing.
    public var alignment: HorizontalAlignment
    /// Whether the column is left out if room is short; the last one goes first.
    public var isOptional: Bool

    public init(
        _ title: String, _ alignment: HorizontalAlignment = .leading, isOptional: Bool = false
    ) {
        self.title = title
        self.alignment = alignment
        self.isOptional = isOptional
    }
}

/// The sort order of a table's rows.
public nonisolated struct TableSort: Hashable, Sendable {
    /// Ascending or descending.
    public enum Order: Sendable {
        case forward
        case reverse
    }

    /// The column's index.
    public var column: Int
    public var order: Order

    public init(column: Int, order: Order = .forward) {
        self.column = column
        self.order = order
    }
}

/// Rows in columns. With a selection, rows can be selected, and they scroll under their heading.
///
/// With a `sortOrder`, `s` or a click on a heading changes it. As in SwiftUI, the view sorts the
/// rows; unlike there, they are sorted by one column, and rows are texts.
public struct Table: View, Primitive {
    private let columns: [TableColumn]
    private let rows: [[String]]
    private let selection: Binding<Int?>?
    private let sortOrder: Binding<TableSort?>?
    private let choose: ((Int) -> Void)?

    /// - Parameters:
    ///   - columns: the columns, from left to right.
    ///   - rows: texts in the order of the columns; missing ones are empty.
    ///   - selection: the index of the selected row; without it no row can be selected.
    ///   - sortOrder: the rows' order; without it no heading can be clicked.
    ///   - choose: receives the selected row on Enter or a second click.
    public init(
        _ columns: [TableColumn], rows: [[String]], selection: Binding<Int?>? = nil,
        sortOrder: Binding<TableSort?>? = nil,
        primaryAction choose: ((Int) -> Void)? = nil
    ) {
        self.columns = columns
        self.rows = rows
        self.selection = selection
        self.sortOrder = sortOrder
        self.choose = choose
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let list = selection.map { selection in
            List(rows.indices, id: \.self, selection: selection) {
                Text(StyledLine(rows[$0].joined(separator: " ")))
            } primaryAction: {
                choose?($0)
            }
            .list(in: context)
        }
        var table = TableElement(columns: columns, rows: rows, list: list)
        guard let sortOrder, !columns.isEmpty, context.environment.isEnabled else {
            return [.table(table)]
        }
        table.sort = sortOrder.wrappedValue
        table.sortBy = { sortOrder.wrappedValue = Self.sort(by: $0, after: sortOrder.wrappedValue) }
        let key = KeyBinding("s", "Sort") { [count = columns.count] in
            let sort = sortOrder.wrappedValue
            let next = sort.map { $0.order == .forward ? $0.column : ($0.column + 1) % count }
            sortOrder.wrappedValue = Self.sort(by: next ?? 0, after: sort)
        }
        return [.modified(.keys([key]), .table(table))]
    }

    /// Choosing the sorted column again reverses its order.
    private static func sort(by column: Int, after sort: TableSort?) -> TableSort {
        let isAgain = sort == TableSort(column: column, order: .forward)
        return TableSort(column: column, order: isAgain ? .reverse : .forward)
    }
}
