// RowsScreen: a long list, which `napkin-bench screen` moves down in.

import NapkinClient
import NapkinElements

/// A list in which a person moves down; each row has its number.
struct RowsScreen: View {
    @State private var selected: Int?

    var body: some View {
        List(0..<10_000, id: \.self, selection: $selected) {
            Text("row number \($0), as long as a line is")
        }
    }
}

@main
enum Rows {
    static func main() {
        Client.main(app: "rows") { _ in
        } previews: {
            [Preview("Rows") { RowsScreen() }]
        }
    }
}
