// ConsoleHistory: the rows that have left a terminal's screen, and the conversion of cells to rows.
//
// Invariant  at most `rowsMax` rows of `bytesMax` together.

import CVterm
import NapkinCore

struct ConsoleHistory {
    /// The number of rows that are kept. Chosen: more than a person scrolls through.
    static let rowsMax = 10_000
    /// The approximate memory that they take, in bytes. Chosen: 10,000 rows of ordinary output.
    static let bytesMax = 8 << 20

    private var rows: [ConsoleRow] = []
    private var first = 0
    private var bytes = 0

    var count: Int { rows.count - first }

    /// The row at this place, the oldest at 0.
    subscript(index: Int) -> ConsoleRow { rows[first + index] }

    /// Adds the newest row. Returns how many of the oldest rows were dropped for it.
    mutating func append(_ row: ConsoleRow) -> Int {
        rows.append(row)
        bytes += Self.bytes(of: row)
        let before = first
        while count > Self.rowsMax || (bytes > Self.bytesMax && count > 1) {
            bytes -= Self.bytes(of: rows[first])
            rows[first] = ConsoleRow()
            first += 1
        }
        let dropped = first - before
        if first > Self.rowsMax {
            rows.removeFirst(first)
            first = 0
        }
        return dropped
    }

    private static func bytes(of row: ConsoleRow) -> Int {
        row.runs.reduce(64) { $0 + 64 + $1.text.utf8.count }
    }
}

extension ConsoleRow {
    /// Converts consecutive cells to runs, without the empty cells at the end.
    init(_ cells: ArraySlice<napkin_cell>) {
        self.init()
        var text: [UInt8] = []
        var begun: (style: CellStyle, cells: Int)?
        func end() {
            guard let begun else { return }
            runs.append(
                ConsoleRun(
                    String(decoding: text, as: UTF8.self), cells: begun.cells,
                    style: begun.style.style))
            text.removeAll(keepingCapacity: true)
        }
        let last = cells.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? cells.startIndex
        var column = cells.startIndex
        while column < last {
            let cell = cells[column]
            let isWide = cell.width == 2 && column + 1 < cells.endIndex
            let style = CellStyle(cell, isWide: isWide)
            if begun?.style != style {
                end()
                begun = (style, 0)
            }
            begun?.cells += isWide ? 2 : 1
            cell.append(to: &text)
            column += isWide ? 2 : 1
        }
        end()
    }

    /// Returns the row without the runs that end after this column: the row comes from a wider
    /// screen.
    func cut(to columns: Int) -> ConsoleRow {
        var left = columns
        return ConsoleRow(
            runs.prefix {
                left -= $0.cells
                return left >= 0
            })
    }

    /// Returns the column of a character of the text.
    func column(_ character: Int) -> Int {
        var (left, column) = (character, 0)
        for run in runs {
            let count = run.text.count
            guard left >= count else { return column + left * run.cells / max(1, count) }
            left -= count
            column += run.cells
        }
        return column
    }
}

/// The appearance that the cells of a run share.
private struct CellStyle: Equatable {
    let foreground: UInt32
    let background: UInt32
    let attributes: UInt8
    let isWide: Bool

    init(_ cell: napkin_cell, isWide: Bool) {
        (foreground, background) = (cell.foreground, cell.background)
        (attributes, self.isWide) = (cell.attributes, isWide)
    }

    var style: ConsoleStyle? {
        guard foreground != 0 || background != 0 || attributes != 0 else { return nil }
        return ConsoleStyle(
            foreground: Self.colour(foreground), background: Self.colour(background),
            ConsoleAttributes(rawValue: attributes))
    }

    private static func colour(_ number: UInt32) -> ConsoleColour? {
        switch number >> 24 {
        case 1: .indexed(UInt8(truncatingIfNeeded: number))
        case 2: .rgb(number & 0xFFFFFF)
        default: nil
        }
    }
}

extension napkin_cell {
    /// Whether the cell shows nothing.
    fileprivate var isEmpty: Bool {
        let marks: ConsoleAttributes = [.underline, .reverse, .strike]
        return (chars.0 == 0 || chars.0 == 32) && chars.1 == 0 && background == 0
            && ConsoleAttributes(rawValue: attributes).isDisjoint(with: marks)
    }

    /// Adds the cell's characters in UTF-8; a space if there are none.
    fileprivate func append(to text: inout [UInt8]) {
        if chars.1 == 0, chars.0 < 0x80 {
            text.append(chars.0 < 0x20 ? 0x20 : UInt8(truncatingIfNeeded: chars.0))
            return
        }
        for code in [chars.0, chars.1, chars.2, chars.3, chars.4, chars.5] {
            if code == 0 { break }
            text += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8
        }
    }
}
