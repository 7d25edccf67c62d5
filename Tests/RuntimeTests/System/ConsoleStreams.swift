// ConsoleStreams: output for terminals, made from a seed: what programs write, and in which order.

import TestSupport

/// What a program writes at one size, then perhaps at another one.
struct ConsoleStream {
    struct Part {
        var rows: Int
        var columns: Int
        var bytes: [UInt8]
    }

    var parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    init(seed: UInt64) {
        var maker = Maker(random: Randomness(seed: seed))
        let (rows, columns) = (8 + maker.random.below(20), 20 + maker.random.below(70))
        maker.size = (rows, columns)
        maker.isWide = seed % 3 == 0
        var bytes: [UInt8] = []
        // A screen of lines follows the size in its own way; a program draws its own anew.
        let isResized = maker.random.percent(25)
        if isResized { bytes += Array("\u{1B}[?1049h".utf8) }
        for _ in 0..<(20 + maker.random.below(150)) { bytes += maker.next(alternates: !isResized) }
        parts = [Part(rows: rows, columns: columns, bytes: bytes)]
        guard isResized else { return }
        let (newRows, newColumns) = (8 + maker.random.below(20), 20 + maker.random.below(70))
        maker.size = (newRows, newColumns)
        var rest = Array("\u{1B}[r\u{1B}[?6l\u{1B}[m\u{1B}[2J\u{1B}[H".utf8)
        for _ in 0..<60 { rest += maker.next(alternates: false) }
        parts.append(Part(rows: newRows, columns: newColumns, bytes: rest))
    }

    private struct Maker {
        var random: Randomness
        var size = (rows: 24, columns: 80)
        /// Whether words may be wide. Terminals differ in what is left of half a wide character, so
        /// nothing is written over them.
        var isWide = false

        private static let words = [
            "error:", "warning", "make[1]", "napkin", "ribs", "0123456789", "a", "of the", "--",
            "é", "ñ", "Ω", "─│┌┐└┘", "█▓▒░", "→", "…",
        ]
        private static let others = ["e\u{301}"]
        private static let wide = ["漢字", "日本語", "ありがとう"]
        /// The kinds that write nothing over what is there.
        private static let appending: Set = [85, 88, 93, 96, 97, 99]

        mutating func next(alternates: Bool) -> [UInt8] {
            let kind = random.below(100)
            if isWide, kind >= 58, !Self.appending.contains(kind) { return [13, 10] }
            return Array((place(for: kind) + text(kind, alternates)).utf8)
        }

        private mutating func number(_ bound: Int) -> Int { 1 + random.below(bound) }

        private mutating func position() -> String {
            "\u{1B}[\(number(size.rows));\(number(size.columns))H"
        }

        /// What comes before a kind in whose effect terminals differ: behind the last column, and
        /// outside of the scrolling region.
        private mutating func place(for kind: Int) -> String {
            switch kind {
            case 66..<71, 78..<83: "\u{1B}[r\(position())"
            case 72..<78, 86, 87, 89..<93, 98: "\u{1B}[\(number(size.columns))G"
            default: ""
            }
        }

        private mutating func text(_ kind: Int, _ alternates: Bool) -> String {
            let escape = "\u{1B}["
            switch kind {
            case 0..<34: return (0..<number(6)).map { _ in word() }.joined(separator: " ")
            case 34..<44: return "\r\n"
            case 44..<58: return "\(escape)\(style())m"
            case 58..<66: return position()
            case 66..<71: return "\(escape)\(number(5))\(["A", "B", "C", "D"][random.below(4)])"
            case 71: return "\(escape)\(number(size.columns))G"
            case 72: return "\(escape)\(number(size.rows))d"
            case 73..<77: return "\(escape)\(random.below(3))K"
            case 77: return "\(escape)\(random.below(3))J"
            case 78..<80: return "\(escape)\(number(4))\(["@", "P", "X"][random.below(3)])"
            case 80..<83: return "\(escape)\(number(3))\(["L", "M", "S", "T"][random.below(4)])"
            case 83..<85:
                let top = number(size.rows - 2)
                return "\(escape)\(top);\(top + number(size.rows - top))r"
            case 85: return "\(escape)r"
            case 86: return "\u{1B}M"
            case 87: return "\u{1B}D"
            case 88: return "\u{1B}E"
            case 89: return "\u{1B}7ab\u{1B}8"
            case 90: return "\t"
            case 91: return "\u{8}"
            case 92: return "\rx\(escape)\(number(9))b"
            case 93: return "\u{1B}(0lqqkxmj\u{1B}(B"
            case 94 where alternates: return alternate()
            case 95: return "\r\(escape)Kabc\r\(escape)4hxy\(escape)4l"
            case 96: return "\u{1B}]0;a title \(random.below(9))\u{7}"
            case 97: return "\(escape)?25\(random.percent(50) ? "h" : "l")"
            case 98: return "\(escape)?7la word that is too long\(escape)?7h"
            default: return "\(escape)0m\r\n"
            }
        }

        /// A program that draws on the alternate screen and ends.
        private mutating func alternate() -> String {
            let words = (0..<4).map { _ in "\(position())\(word())" }.joined()
            return "\u{1B}[m\u{1B}[?1049h\u{1B}[2;2H\(words)\u{1B}[m\u{1B}[?1049l"
        }

        private mutating func word() -> String {
            let words = Self.words + (isWide ? Self.wide : Self.others)
            return words[random.below(words.count)]
        }

        private mutating func style() -> String {
            (0..<number(3)).map { _ in attribute() }.joined(separator: ";")
        }

        private mutating func attribute() -> String {
            switch random.below(14) {
            case 0: ""
            case 1: "0"
            case 2: ["1", "2", "3", "4", "5", "7", "9"][random.below(7)]
            case 3: ["1", "2", "22"][random.below(3)]
            case 4: ["22", "23", "24", "25", "27", "29"][random.below(6)]
            case 5, 6: "\(30 + random.below(8))"
            case 7: "\(40 + random.below(8))"
            case 8: "\(90 + random.below(8))"
            case 9: "\(100 + random.below(8))"
            case 10: "38;5;\(random.below(256))"
            case 11: "48;5;\(random.below(256))"
            case 12: "38;2;\(random.below(256));\(random.below(256));\(random.below(256))"
            default: ["39", "49"][random.below(2)]
            }
        }
    }
}
