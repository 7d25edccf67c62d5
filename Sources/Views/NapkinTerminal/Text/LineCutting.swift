// LineCutting: breaks lines between words and lays one over another, by their width in cells.
//
// Isolation  any thread; the locale is set once, on first use.
// Invariant  never cuts a wide character in half: a space replaces the rest of it. `printable`
//            returns no character that moves the cursor or reverses text, and none that joins
//            others into fewer cells on some terminals only.
// Spec       wcwidth(3). A cluster is as wide as all its scalars, as ncurses draws it.

internal import CNcurses
package import NapkinElements
import NapkinTransport

extension StyledLine {
    /// Wraps the line to at most `width` cells per line, at spaces if possible.
    package nonisolated func wrapped(to width: Int) -> [StyledLine] {
        guard width > 0 else { return [] }
        guard cells > width else { return [self] }
        var lines: [StyledLine] = []
        var line = StyledLine()
        var used = 0
        for word in words {
            let cells = CellWidth.cells(of: word.text)
            if used > 0, used + cells > width {
                lines.append(line.withoutEnd)
                (line, used) = (StyledLine(), 0)
            }
            if used == 0, word.isSpace, !lines.isEmpty { continue }
            var rest = Substring(word.text)
            var missing = cells
            while missing + used > width {
                // No more characters than cells can fit, so the rest is not measured.
                let head = String(rest.prefix(max(1, width - used)))
                let (start, taken) = CellWidth.prefix(of: head, width: width - used)
                guard taken > 0 || used > 0 else { return lines + [fitted(to: width)] }
                lines.append((line + StyledLine(start, word.role)).withoutEnd)
                rest = rest.dropFirst(start.count)
                missing -= taken
                (line, used) = (StyledLine(), 0)
            }
            guard !rest.isEmpty else { continue }
            line = line + StyledLine(String(rest), word.role)
            used += missing
        }
        if used > 0 { lines.append(line.withoutEnd) }
        return lines
    }

    /// The cells of the longest word, with the spaces at the line's beginning.
    package nonisolated var wordCells: Int {
        let words = words
        let space = words.first.map { $0.isSpace ? CellWidth.cells(of: $0.text) : 0 } ?? 0
        let longest = words.map { $0.isSpace ? 0 : CellWidth.cells(of: $0.text) }.max() ?? 0
        return space + longest
    }

    private nonisolated struct Word {
        var text: String
        let role: TextRole
        var isSpace: Bool { text.first == " " }
    }

    private nonisolated var words: [Word] {
        var words: [Word] = []
        for span in spans {
            for character in span.text {
                if let last = words.last, last.isSpace == (character == " "),
                    last.role == span.role
                {
                    words[words.count - 1].text.append(character)
                } else {
                    words.append(Word(text: String(character), role: span.role))
                }
            }
        }
        return words
    }

    private nonisolated var withoutEnd: StyledLine {
        guard var text = spans.last?.text, text.last == " " else { return self }
        while text.last == " " { text.removeLast() }
        let last = spans.last?.role ?? .plain
        return StyledLine(spans: spans.dropLast() + (text.isEmpty ? [] : [TextSpan(text, last)]))
    }

    /// Returns the line cut or padded to exactly `width` cells.
    nonisolated func exactly(_ width: Int) -> StyledLine {
        guard cells > width else { return padded(to: width) }
        var room = width
        var kept: [TextSpan] = []
        for span in spans {
            let (text, used) = CellWidth.prefix(of: span.text, width: room)
            if !text.isEmpty { kept.append(span.with(text)) }
            room -= used
            guard text == span.text else { break }
        }
        return StyledLine(spans: kept).padded(to: width)
    }

    /// Returns the line without its first `width` cells.
    nonisolated func dropping(_ width: Int) -> StyledLine {
        var skip = width
        var kept: [TextSpan] = []
        for span in spans {
            var text = span.text
            while skip > 0, let first = text.first {
                skip -= CellWidth.cells(of: String(first))
                text.removeFirst()
            }
            // A space replaces the other half of a wide character.
            if skip < 0 {
                text = String(repeating: " ", count: -skip) + text
                skip = 0
            }
            if !text.isEmpty { kept.append(span.with(text)) }
        }
        return StyledLine(spans: kept)
    }

    /// Returns the line with another one drawn over it from a cell on.
    nonisolated func covered(from x: Int, by line: StyledLine) -> StyledLine {
        exactly(x) + line + dropping(x + line.cells)
    }

    /// The line as a modal that covers it dims it.
    nonisolated var faded: StyledLine { inRole(.secondary) }

    nonisolated func inRole(_ role: TextRole) -> StyledLine { StyledLine(text, role) }
}

extension StyledLine {
    /// The line's width in terminal cells; a wide character takes two.
    package nonisolated var cells: Int { spans.reduce(0) { $0 + CellWidth.cells(of: $1.text) } }

    /// Returns the line with spaces before it.
    package nonisolated func indented(by cells: Int) -> StyledLine {
        guard cells > 0, !spans.isEmpty else { return self }
        return StyledLine(String(repeating: " ", count: cells)) + self
    }

    /// Returns the line cut to `width` cells, with `…` in place of the rest.
    package nonisolated func fitted(to width: Int) -> StyledLine {
        guard cells > width else { return self }
        guard width > 0 else { return StyledLine() }
        var room = width - 1
        var kept: [TextSpan] = []
        for span in spans {
            let (text, used) = CellWidth.prefix(of: span.text, width: room)
            if !text.isEmpty { kept.append(span.with(text)) }
            guard text == span.text else {
                return StyledLine(spans: kept + [span.with("…")])
            }
            room -= used
        }
        return StyledLine(spans: kept)
    }

    /// Returns the line padded with spaces of `role` to `width` cells.
    package nonisolated func padded(to width: Int, _ role: TextRole = .plain) -> StyledLine {
        let missing = width - cells
        guard missing > 0 else { return self }
        return self + StyledLine(String(repeating: " ", count: missing), role)
    }
}

extension [StyledLine] {
    /// Wraps the lines to `width` cells; if there are more than `limit`, the last one ends with
    /// `…`. A single line is cut anywhere.
    package nonisolated func wrapped(to width: Int, limit: Int?) -> [StyledLine] {
        let wrapped = limit == 1 ? self : flatMap { $0.wrapped(to: width) }
        guard let limit, wrapped.count > limit, limit > 0 else {
            return wrapped.map { $0.fitted(to: width) }
        }
        let last =
            wrapped[limit - 1] + StyledLine("…", wrapped[limit - 1].spans.last?.role ?? .plain)
        return (wrapped.prefix(limit - 1) + [last]).map { $0.fitted(to: width) }
    }
}

extension [Int] {
    /// Returns columns' widths that fit into `sum` cells: the widest shrink first, and none below
    /// its longest word while another one can shrink, nor below `least`.
    package nonisolated func shrunk(to sum: Int, words: @autoclosure () -> [Int], least: Int)
        -> [Int]
    {
        var widths = self
        var excess = reduce(0, +) - sum
        guard excess > 0 else { return self }
        for floors in [words(), map { _ in least }] {
            while excess > 0,
                let widest = widths.indices.filter({ widths[$0] > Swift.max(least, floors[$0]) })
                    .max(by: { widths[$0] < widths[$1] })
            {
                widths[widest] -= 1
                excess -= 1
            }
        }
        return widths
    }
}

/// The width of texts in terminal cells and the characters that may reach a terminal.
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
