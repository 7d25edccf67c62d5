// ConsoleScreen: what a program shows in its terminal, as a value for states and messages.
//
// Invariant  rows that look the same are encoded the same, so that a state's delta has only the
//            rows that changed.

/// The screen of a program that runs in a terminal: a grid of cells, a cursor, a title.
///
/// A worker makes one with a `HeldConsole` and presents it; a front draws it with the view
/// `Console`.
@Message
public struct ConsoleScreen: Hashable {
    /// Rows and columns of the largest screen. Chosen: more than any display shows.
    public static let rowsMax = 500
    public static let columnsMax = 1000

    /// The number of cells in each row.
    public var columns: Int
    /// All rows, from top to bottom.
    public var rows: [ConsoleRow]
    /// The cursor; `nil` if the program hides it or it is scrolled out of sight.
    public var cursor: ConsoleCursor?
    /// The title that the program has set; empty at first.
    public var title: String = ""
    /// The number of times that the program has rung the bell.
    public var bells: Int = 0
    /// Whether the program has the screen to itself, as an editor does: it has no history.
    public var isAlternate: Bool = false
    /// Whether the program takes clicks and the wheel.
    public var takesMouse: Bool = false
    /// Rows that have left the screen at the top and are kept.
    public var history: Int = 0
    /// The number of history rows that are shown in place of the newest rows.
    public var scrolled: Int = 0

    /// Creates an empty screen.
    public init(rows: Int = 24, columns: Int = 80) {
        self.columns = columns
        self.rows = Array(repeating: ConsoleRow(), count: rows)
    }

    /// The rows as text, without the spaces at their ends.
    public var text: String { rows.map(\.text).joined(separator: "\n") }
}

/// A row of a terminal. Cells after the last run are empty.
@Message
public struct ConsoleRow: Hashable {
    public var runs: [ConsoleRun]

    public init(_ runs: [ConsoleRun] = []) { self.runs = runs }

    /// The row's text, without the spaces at its end.
    public var text: String {
        let text = runs.map(\.text).joined()
        let end = text.lastIndex { $0 != " " }.map(text.index(after:))
        return String(text[..<(end ?? text.startIndex)])
    }
}

/// Consecutive cells of a row that look the same and are equally wide.
@Message
public struct ConsoleRun: Hashable {
    public var text: String
    /// The number of cells that it fills, however wide its characters are elsewhere.
    public var cells: Int
    /// `nil` for the terminal's own colours.
    public var style: ConsoleStyle?

    public init(_ text: String, cells: Int, style: ConsoleStyle? = nil) {
        self.text = text
        self.cells = cells
        self.style = style
    }
}

/// The appearance of a cell.
@Message
public struct ConsoleStyle: Hashable {
    /// `nil` for the terminal's own.
    public var foreground: ConsoleColour?
    public var background: ConsoleColour?
    /// Bits of ``ConsoleAttributes``.
    var bits: UInt8

    /// Bold, italic and the like.
    public var attributes: ConsoleAttributes { ConsoleAttributes(rawValue: bits) }

    public init(
        foreground: ConsoleColour? = nil, background: ConsoleColour? = nil,
        _ attributes: ConsoleAttributes = []
    ) {
        self.foreground = foreground
        self.background = background
        bits = attributes.rawValue
    }
}

/// A colour that a program has chosen.
@Message
public enum ConsoleColour: Hashable {
    /// One of 256: the user's 16, a cube of 6 × 6 × 6, and 24 greys.
    case indexed(UInt8)
    /// `0xRRGGBB`.
    case rgb(UInt32)
}

/// Bold, italic and the like.
public struct ConsoleAttributes: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let bold = ConsoleAttributes(rawValue: 1)
    public static let faint = ConsoleAttributes(rawValue: 2)
    public static let italic = ConsoleAttributes(rawValue: 4)
    public static let underline = ConsoleAttributes(rawValue: 8)
    public static let blink = ConsoleAttributes(rawValue: 16)
    public static let reverse = ConsoleAttributes(rawValue: 32)
    public static let strike = ConsoleAttributes(rawValue: 64)
}

/// The place of the next character.
@Message
public struct ConsoleCursor: Hashable {
    /// The cursor's shape.
    @Message
    public enum Shape: String, CaseIterable {
        case block, underline, bar
    }

    /// The row, counted from 0 at the top.
    public var row: Int
    /// The column, counted from 0 at the left.
    public var column: Int
    public var shape: Shape

    public init(row: Int, column: Int, shape: Shape = .block) {
        self.row = row
        self.column = column
        self.shape = shape
    }
}
