// PortraitView: grey pixels as half blocks, two in each cell.
//
// Layer      example, front.
// Isolation  @MainActor, as everything in this target unless it says otherwise; pixels become blocks
//            off it.

import CharactersContract
import NapkinElements
import Observation

/// Draws a portrait; kept by its view.
@Observable
final class PortraitArtist {
    /// Themes do not share a grey, so a pixel is on if it is at least half bright.
    private nonisolated static let lightFrom: UInt8 = 128
    /// Empty if there is no picture in the pixels; `nil` until that is known.
    private(set) var rows: [String]?

    func draw(_ portrait: Portrait) async {
        let rows = await Self.rows(of: portrait)
        if !Task.isCancelled { self.rows = rows }
    }

    @concurrent nonisolated static func rows(of portrait: Portrait) async -> [String] {
        let (width, height) = (Int(portrait.width), Int(portrait.height))
        guard width > 0, height > 0, portrait.pixels.count == width * height else { return [] }
        func isLight(_ x: Int, _ y: Int) -> Bool {
            y < height && portrait.pixels[y * width + x] >= lightFrom
        }
        return stride(from: 0, to: height, by: 2).map { y in
            String(
                (0..<width).map { x -> Character in
                    switch (isLight(x, y), isLight(x, y + 1)) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}

/// A portrait with as many cells as it has pixels in a row.
struct PortraitView: View {
    /// Cells of a row; of a wider portrait, the middle is shown.
    static let cellsMax = 24
    let portrait: Portrait
    @State private var artist = PortraitArtist()

    var body: some View {
        let rows = artist.rows
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
        .task(id: portrait) { await artist.draw(portrait) }
    }
}
