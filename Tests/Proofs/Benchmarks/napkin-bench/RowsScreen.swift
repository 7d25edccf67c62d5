// RowsScreen: a long list, as `napkin-bench preview` shows it.

import NapkinElements

/// A list in which a person moves down.
struct RowsScreen: View {
    static let name = "Rows"
    static let count = 10_000
    @State private var selected: Int?

    var body: some View {
        List(0..<Self.count, id: \.self, selection: $selected) {
            Text("row number \($0), as long as a line is")
        }
    }

    /// What row `index` looks like on the screen.
    static func text(_ index: Int) -> String { "row number \(index)," }
}
