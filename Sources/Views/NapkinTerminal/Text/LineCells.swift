// LineCells: measures, cuts, indents and pads a line.

package import NapkinElements

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
            if !text.isEmpty { kept.append(TextSpan(text, span.role)) }
            guard text == span.text else {
                return StyledLine(spans: kept + [TextSpan("…", span.role)])
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
