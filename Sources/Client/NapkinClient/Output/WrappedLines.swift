// WrappedLines: lines of text, broken between words where a terminal has no room for them.
//
// Invariant  a line that fits is as it was; in a pipe, every line fits.

import NapkinElements
import NapkinTerminal
import NapkinTransport

extension [String] {
    /// Returns the lines in so many cells; the rest of a line follows below it, indented.
    ///
    /// - Parameters:
    ///   - room: the cells of a line.
    ///   - indent: the cells before the rest, beyond the spaces that the line begins with.
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
