// PortraitView: grey pixels as half blocks, two in each cell.

import CharactersContract
import NapkinElements

/// A portrait with as many cells as it has pixels in a row.
struct PortraitView: View {
    /// Cells of a row; of a wider portrait, the middle is shown.
    static let cellsMax = 24
    let portrait: Portrait
    @State private var drawing = PortraitDrawing()

    var body: some View {
        let rows = drawing.rows
        Lines { room, _ in
            guard let rows else { return [] }
            guard let width = rows.first?.count else {
                return [StyledLine("no picture", .secondary)]
            }
            let shown = max(0, min(width, Self.cellsMax, room))
            return rows.map {
                StyledLine(String($0.dropFirst((width - shown) / 2).prefix(shown)), .accent)
            }
        }
        .accessibilityLabel("portrait, \(portrait.width) × \(portrait.height)")
        .task(id: portrait) { await drawing.show(portrait) }
    }
}
