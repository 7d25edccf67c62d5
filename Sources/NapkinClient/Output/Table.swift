// Table: rows of text in aligned columns.
//
// Layer      executable, output.
// Isolation  value.
// Invariant  columns are aligned in cells of a terminal, however wide a name's characters are.

import NapkinTerminal
import NapkinTransport

/// A table with a heading.
struct Table {
    private var rows: [[String]]

    init(_ heading: String...) { self.init(heading) }

    init(_ heading: [String]) {
        rows = [heading]
    }

    mutating func add(_ row: String...) { add(row) }

    /// Adds a row of names that others have given: each is as wide as it will be printed.
    mutating func add(_ row: [String]) { rows.append(row.map(PrintableText.escaped)) }

    /// The lines, without spaces at their ends.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? CellWidth.cells(of: $0[column]) : 0 }.max() ?? 0
        }
        return rows.map { row in
            let padded = zip(row, widths).map { cell, width in
                cell + String(repeating: " ", count: width - CellWidth.cells(of: cell))
            }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
