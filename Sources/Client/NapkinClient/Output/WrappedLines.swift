// WrappedLines: breaks lines of text between words to fit a terminal's width.
//
// Invariant  a line that fits is unchanged; in a pipe, every line fits.

import NapkinElements
import NapkinTerminal
import NapkinTransport

extension [String] {
    /// Wraps the lines to `room` cells and indents the continuation lines.
    ///
    /// - Parameters:
    ///   - room: the cells of a line.
    ///   - indent: the cells before a continuation line, beyond the line's own leading spaces.
    func wrapped(in room: Int, indent: Int = 2) -> [String] {
        flatMap { line -> [String] in
            let line = PrintableText.escaped(line)
            guard room > 1, CellWidth.cells(of: line) > room else { return [line] }
            let depth = Swift.min(line.prefix { $0 == " " }.count + indent, room / 2)
            let (head, taken) = CellWidth.prefix(of: line, width: depth)
            let lines = StyledLine(String(line.dropFirst(head.count))).wrapped(to: room - taken)
            let space = String(repeating: " ", count: taken)
            return lines.enumerated().map { ($0 == 0 ? head : space) + $1.text }
        }
    }
}
