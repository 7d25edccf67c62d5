// TextTable: rows of text in aligned columns.
//
// Invariant  columns are aligned by terminal cells, however wide a name's characters are.

import Glibc
import NapkinElements
import NapkinTerminal
import NapkinTransport

struct TextTable {
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
    /// The most lines of a cell. Chosen: a long command leaves room for the other rows.
    private static let linesMax = 3

    /// The cells of a line of standard output: the terminal's width; unlimited in a pipe.
    static var room: Int { ScreenSize.ofTerminal(STDOUT_FILENO)?.width ?? .max }

    private var columns: Int { rows.map(\.count).max() ?? 0 }

    /// The lines at their full width, without trailing spaces.
    var lines: [String] { lines(in: .max) }

    /// Fits the lines into `room` cells: breaks the widest cells between words. Where words would
    /// be broken, leaves out columns first, then breaks the widest ones.
    func lines(in room: Int, leavingOut headings: [String] = []) -> [String] {
        var table = self
        for heading in headings where table.cells(of: table.wordWidths) > room {
            guard let column = table.rows[0].firstIndex(of: heading) else { continue }
            for row in table.rows.indices where column < table.rows[row].count {
                table.rows[row].remove(at: column)
            }
        }
        let space = Self.gap * max(0, table.columns - 1)
        return table.drawn(
            table.widths.shrunk(to: room - space, words: table.wordWidths, least: Self.leastCells))
    }

    private var widths: [Int] { widths { CellWidth.cells(of: $0) } }

    /// The widths at which no word is broken, and no number leaves its unit.
    private var wordWidths: [Int] {
        let words = widths { StyledLine($0).wordCells }
        return widths.enumerated().map { isNumber($0) ? $1 : words[$0] }
    }

    private func widths(_ cells: (String) -> Int) -> [Int] {
        (0..<columns).map { column in
            rows.map { column < $0.count ? cells($0[column]) : 0 }.max() ?? 0
        }
    }

    private func cells(of widths: [Int]) -> Int {
        widths.reduce(Self.gap * max(0, widths.count - 1), +)
    }

    private func isNumber(_ column: Int) -> Bool {
        column < rows[0].count && Self.numbers.contains(rows[0][column])
    }

    private static func broken(_ cell: String, to width: Int) -> [String] {
        [StyledLine(cell)].wrapped(to: width, limit: linesMax).map(\.text)
    }

    private func drawn(_ widths: [Int]) -> [String] {
        rows.flatMap { row in
            let cells = row.indices.map { Self.broken(row[$0], to: widths[$0]) }
            return (0..<max(1, cells.map(\.count).max() ?? 0)).map { index in
                let padded = cells.indices.map { column in
                    let cell = cells[column].dropFirst(index).first ?? ""
                    let count = max(0, widths[column] - CellWidth.cells(of: cell))
                    let space = String(repeating: " ", count: count)
                    return isNumber(column) ? space + cell : cell + space
                }
                var line = padded.joined(separator: "  ")
                while line.last == " " { line.removeLast() }
                return line
            }
        }
    }
}
