// PortraitDrawing: a portrait as rows of half blocks, which are made off the main actor.

import CharactersContract
import Observation

/// The rows of a portrait, for a view that keeps this as `@State` and asks in a `.task`.
@Observable
final class PortraitDrawing {
    /// Empty if the pixels are no picture; `nil` until that is known.
    private(set) var rows: [String]?
    private let isLight: @Sendable (UInt8) -> Bool

    /// - Parameter isLight: whether a pixel is on. Themes do not share a grey: by default one that
    ///   is at least half bright.
    init(isLight: @escaping @Sendable (UInt8) -> Bool = { $0 >= 128 }) {
        self.isLight = isLight
    }

    /// Runs on the main actor, and waits for what does not. Of two portraits, the one whose task
    /// was not cancelled is shown.
    func show(_ portrait: Portrait?) async {
        let rows = if let portrait { await drawn(portrait) } else { [String]() }
        if !Task.isCancelled { self.rows = rows }
    }

    /// Runs on the pool, whoever calls.
    @concurrent
    nonisolated func drawn(_ portrait: Portrait) async -> [String] {
        await blocks(of: portrait)
    }

    /// Runs where its caller runs.
    nonisolated func blocks(of portrait: Portrait) async -> [String] {
        let (width, height) = (Int(portrait.width), Int(portrait.height))
        guard width > 0, height > 0, portrait.pixels.count == width * height else { return [] }
        let light = portrait.pixels.map(isLight)
        return stride(from: 0, to: height, by: 2).map { y in
            String(
                (0..<width).map { x -> Character in
                    switch (light[y * width + x], y + 1 < height && light[(y + 1) * width + x]) {
                    case (true, true): "█"
                    case (true, false): "▀"
                    case (false, true): "▄"
                    case (false, false): " "
                    }
                })
        }
    }
}
