// Board: a large state of which each event changes one line.

import NapkinProtocol

/// What stands on the board after so many events.
enum Board {
    /// Chosen: together longer than `Limits.deltaStateBytesMin`.
    static let rows = 40

    static func lines(at place: Int) -> [String] {
        (0..<rows).map { row in
            let newest = place - (place - row) % rows
            guard newest > 0, place >= row else { return "nobody has been here yet: row \(row)" }
            return "place \(newest), and then some more of it"
        }
    }

    /// The place after which these lines stand there, or `nil` if there is none.
    static func place(of lines: [String]) -> Int? {
        let places = lines.compactMap { line in
            line.hasPrefix("place ") ? Int(line.dropFirst(6).prefix { $0 != "," }) : nil
        }
        let place = places.max() ?? 0
        return lines == Self.lines(at: place) ? place : nil
    }
}
