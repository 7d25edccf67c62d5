// Table: rows in aligned columns, with a heading.
//
// Layer      elements.
// Isolation  @MainActor; values.

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

/// Rows in columns. With a selection, a row can be selected, and the rows scroll under their
/// heading.
public struct Table: View, Primitive {
    public typealias Body = Never
    private let columns: [TableColumn]
    private let rows: [[String]]
    private let selection: Binding<Int?>?
    private let choose: ((Int) -> Void)?

    /// - Parameters:
    ///   - columns: from left to right.
    ///   - rows: texts in the order of the columns; missing ones are empty.
    ///   - selection: the index of the selected row; without it no row can be selected.
    ///   - choose: gets the selected row on Enter, or on a second click.
    public init(
        _ columns: [TableColumn], rows: [[String]], selection: Binding<Int?>? = nil,
        primaryAction choose: ((Int) -> Void)? = nil
    ) {
        self.columns = columns
        self.rows = rows
        self.selection = selection
        self.choose = choose
    }

    package func elements(in context: RenderContext) -> [RenderedElement] {
        let list = selection.map { selection in
            List(rows.indices, id: \.self, selection: selection) {
                Text("\($0)")
            } primaryAction: {
                choose?($0)
            }
            .list(in: context)
        }
        return [.table(TableElement(columns: columns, rows: rows, list: list))]
    }
}
