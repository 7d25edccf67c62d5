// CellWidth: the width of texts in terminal cells and the characters that may reach a terminal.
//
// Isolation  none of its own; the locale is set once, on first use.
// Invariant  `printable` returns no character that moves the cursor or reverses text, and none
//            that joins others into fewer cells on some terminals only.
// Spec       wcwidth(3). A cluster is as wide as all its scalars, as ncurses draws it.

internal import CNcurses
import NapkinTransport

/// Measures texts in cells.
package nonisolated enum CellWidth {
    /// Replaces a character that must not be printed.
    static let substitute: Unicode.Scalar = "\u{FFFD}"

    private static let knowsWidths = napkin_locale_prepare() != 0

    /// Sets the locale, which must happen before ncurses starts.
    static func prepare() { _ = knowsWidths }

    /// Returns the cells of one scalar; `nil` if it cannot be printed.
    static func cells(of scalar: Unicode.Scalar) -> Int? {
        switch scalar.value {
        // Frames and blocks are most of the non-ASCII characters.
        case 0x20...0x7E, 0x2500...0x259F: return 1
        case _ where !PrintableText.shows(scalar): return nil
        case _ where joinsEmoji(scalar): return 0
        default: break
        }
        guard knowsWidths else { return 1 }
        let cells = Int(napkin_cells(scalar.value))
        return cells < 0 ? nil : cells
    }

    /// Whether some terminals, and tmux, join it with its neighbours into one picture: the
    /// joiner, the emoji selector, the skin tones. Other terminals, and ncurses, count each
    /// scalar's cells, so pieces of former texts would stay on the screen.
    private static func joinsEmoji(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200D, 0xFE0F, 0x1F3FB...0x1F3FF: true
        default: false
        }
    }

    package static func cells(of text: some StringProtocol) -> Int {
        if isPlain(text) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + (cells(of: $1) ?? 1) }
    }

    /// Whether the text is printable ASCII, one cell for each byte, like most texts.
    private static func isPlain(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Returns `text` with a substitute for each unprintable character, a space for each tab, and
    /// the parts of a joined emoji beside one another.
    static func printable(_ text: String) -> String {
        guard !isPlain(text),
            text.unicodeScalars.contains(where: { cells(of: $0) == nil || joinsEmoji($0) })
        else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !joinsEmoji(scalar) {
            if scalar == "\t" {
                result.append(" ")
            } else {
                result.append(cells(of: scalar) == nil ? substitute : scalar)
            }
        }
        return String(result)
    }

    /// Returns the longest prefix of `text` that fits into `width` cells, whole clusters only.
    package static func prefix(of text: String, width: Int) -> (text: String, cells: Int) {
        if isPlain(text) {
            let start = text.prefix(max(0, width))
            return (String(start), start.utf8.count)
        }
        var used = 0
        for index in text.indices {
            let next = cells(of: String(text[index]))
            guard used + next <= width else { return (String(text[..<index]), used) }
            used += next
        }
        return (text, used)
    }
}
