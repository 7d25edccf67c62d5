// PortraitArt: grey pixels as half blocks, two in each cell.
//
// Layer      example, front.
// Isolation  @MainActor; a value. An element that this app defines.

import CharactersContract
import NapkinTerminal

/// A portrait with as many cells as it has pixels in a row. Themes do not share a grey, so a pixel
/// is on if it is at least half bright.
struct PortraitArt: Element {
    /// Cells of a row; of a wider portrait, the middle is shown.
    static let cellsMax = 24
    private static let lightFrom: UInt8 = 128
    let portrait: Portrait

    private func lines(in room: Int) -> [StyledLine] {
        let (width, height) = (Int(portrait.width), Int(portrait.height))
        let shown = max(0, min(width, Self.cellsMax, room))
        let first = (width - shown) / 2
        guard width > 0, height > 0, portrait.pixels.count == width * height else {
            return [StyledLine("no picture", .secondary)]
        }
        func isLight(_ x: Int, _ y: Int) -> Bool {
            y < height && portrait.pixels[y * width + x] >= Self.lightFrom
        }
        return stride(from: 0, to: height, by: 2).map { y in
            StyledLine(
                String(
                    (first..<first + shown).map { x -> Character in
                        switch (isLight(x, y), isLight(x, y + 1)) {
                        case (true, true): "█"
                        case (true, false): "▀"
                        case (false, true): "▄"
                        case (false, false): " "
                        }
                    }), .accent)
        }
    }

    /// Words for a person who listens to the screen and cannot see blocks.
    private var words: StyledLine {
        StyledLine("[portrait, \(portrait.width) × \(portrait.height)]", .secondary)
    }

    func extent(in width: Int, _ pass: LayoutPass) -> Extent {
        let shown = pass.isLinear ? [words] : lines(in: width)
        return Extent(width: shown.map(\.cells).max() ?? 0, height: shown.count)
    }

    func draw(in area: Area, _ pass: LayoutPass) -> [StyledLine] {
        (pass.isLinear ? [words] : lines(in: area.width)).map { $0.fitted(to: area.width) }
    }
}
