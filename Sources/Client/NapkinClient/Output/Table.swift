// Table: rows of text in aligned columns.
//
// Invariant  columns are aligned by terminal cells, however wide a name's characters are.

import Glibc
import NapkinTerminal
import NapkinTransport

struct Table {
    private var rows: [[String]]

    init(_ heading: String...) { self.init(heading) }

    init(_ heading: [String]) {
        rows = [heading]
    }

    mutating func add(_ row: String...) { add(row) }

    /// Adds a row. Escapes names from other people first, so that widths match the printed text.
    mutating func add(_ row: [String]) { rows.append(row.map(PrintableText.escaped)) }

    /// The headings of numeric columns, which are aligned at the right.
    private static let numbers: Set = [
        "AGE", "BEGUN", "BYTES", "CALLS/S", "CRASHES", "CREATED", "FAILED", "FRONT", "FRONTS",
        "HANDLER", "IDLE", "IN USE", "LEFT", "NODES", "P50", "P99", "PID", "QUEUE", "RECORD",
        "RECORDS", "RELEASED", "REPLY", "RSS", "SESSIONS", "SIZE", "WIRE",
    ]
    /// Cells between two columns.
    private static let gap = 2
    /// The least width of a shrunken column, in cells. Chosen: three characters and `…`.
    private static let leastCells = 4

    /// The cells of a line of standard output: the terminal's width; unlimited in a pipe.
    static var room: Int { ScreenSize.ofTerminal(STDOUT_FILENO)?.width ?? .max }

    private var columns: Int { rows.map(\.count).max() ?? 0 }

    /// The lines at their full width, without trailing spaces.
    var lines: [String] { lines(in: .max) }

    /// Fits the lines into `room` cells: leaves out columns first, then shrinks the widest ones.
    func lines(in room: Int, leavingOut headings: [String] = []) -> [String] {
        var table = self
        for heading in headings where table.cells(of: table.widths) > room {
            guard let column = table.rows[0].firstIndex(of: heading) else { continue }
            for row in table.rows.indices where column < table.rows[row].count {
                table.rows[row].remove(at: column)
            }
        }
        var widths = table.widths
        while table.cells(of: widths) > room,
            let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
            widths[widest] > Self.leastCells
        {
            widths[widest] -= 1
        }
        return table.drawn(widths)
    }

    private var widths: [Int] {
        (0..<columns).map { column in
            rows.map { column < $0.count ? CellWidth.cells(of: $0[column]) : 0 }.max() ?? 0
        }
    }

    private func cells(of widths: [Int]) -> Int {
        widths.reduce(Self.gap * max(0, widths.count - 1), +)
    }

    private static func cut(_ cell: String, to width: Int) -> String {
        guard CellWidth.cells(of: cell) > width else { return cell }
        return CellWidth.prefix(of: cell, width: width - 1).text + "…"
    }

    private func drawn(_ widths: [Int]) -> [String] {
        let isNumber = rows[0].map(Self.numbers.contains)
        return rows.map { row in
            let padded = row.indices.map { column in
                let cell = Self.cut(row[column], to: widths[column])
                let count = max(0, widths[column] - CellWidth.cells(of: cell))
                let space = String(repeating: " ", count: count)
                return column < isNumber.count && isNumber[column] ? space + cell : cell + space
            }
            var line = padded.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }
}
