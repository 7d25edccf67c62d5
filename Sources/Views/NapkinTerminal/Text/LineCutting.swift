// LineCutting: breaks lines between words and lays one line over another.
//
// Invariant  never cuts a wide character in half: a space replaces the rest of it.

package import NapkinElements

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
            if !text.isEmpty { kept.append(TextSpan(text, span.role)) }
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
            if !text.isEmpty { kept.append(TextSpan(text, span.role)) }
        }
        return StyledLine(spans: kept)
    }

    /// Returns the line with another one drawn over it from a cell on.
    nonisolated func covered(from x: Int, by line: StyledLine) -> StyledLine {
        exactly(x) + line + dropping(x + line.cells)
    }

    /// The line as a modal that covers it dims it.
    nonisolated var faded: StyledLine {
        inRole(.secondary)
    }

    nonisolated func inRole(_ role: TextRole) -> StyledLine {
        StyledLine(text, role)
    }
}
