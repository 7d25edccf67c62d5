// VirtualTerminal: turns a program's output into a screen and input into bytes, with libvterm.
//
// Isolation  confined to its owner, which uses it from one task at a time.
// Ownership  owns libvterm's memory and the kept history.
// Invariant  whatever the bytes are: at most `ConsoleScreen.rowsMax` × `columnsMax` cells, and the
//            history's limits.

import CVterm
import NapkinCore

final class VirtualTerminal {
    /// Bytes of a title. Chosen: more than a line shows.
    private static let titleBytesMax = 1024
    /// Bytes that wait for the program: a paste, or answers to its questions. Chosen: as many as a
    /// field accepts.
    private static let outputBytesMax = 64 * 1024

    private let terminal: OpaquePointer
    private let screen: OpaquePointer
    private let calls: UnsafeMutablePointer<napkin_vterm_calls>
    private var filter = SequenceFilter()
    private var cells: [napkin_cell]
    private var value: ConsoleScreen
    /// The rows of the screen, not scrolled.
    private var rows: [ConsoleRow]
    /// Rows that may differ from `rows`; empty if there are none.
    private var stale = 0..<0
    private var titleBytes: [UInt8] = []
    private var showsCursor = true
    private var shape = ConsoleCursor.Shape.block
    /// The last search's match: its row, counted over history and screen, and its column.
    private var found: (row: Int, column: Int)?
    private var output: [UInt8] = []
    private(set) var history = ConsoleHistory()
    /// Counts the changes that may have affected the screen.
    private(set) var changes = 1

    /// Returns `nil` if libvterm is of another version than when this was built.
    init?(rows: Int, columns: Int) {
        let (rows, columns) = Self.clamped(rows, columns)
        calls = .allocate(capacity: 1)
        calls.initialize(to: napkin_vterm_calls())
        guard napkin_vterm_matches() != 0,
            let terminal = napkin_vterm_new(Int32(rows), Int32(columns), calls)
        else {
            calls.deallocate()
            return nil
        }
        self.terminal = terminal
        screen = vterm_obtain_screen(terminal)
        cells = Array(repeating: napkin_cell(), count: columns)
        value = ConsoleScreen(rows: rows, columns: columns)
        self.rows = value.rows
        // SAFETY: libvterm calls back only while one of its functions runs, and this object frees
        // libvterm's memory before it goes.
        calls.pointee.`self` = Unmanaged.passUnretained(self).toOpaque()
        calls.pointee.damage = { of($0).damaged(Int($1)..<Int($2)) }
        calls.pointee.left = { of($0).left($1, Int($2)) }
        calls.pointee.property = { of($0).changed($1, to: $2) }
        calls.pointee.title = { of($0).title($1, $2, begins: $3 != 0) }
        calls.pointee.bell = { of($0).value.bells += 1 }
        calls.pointee.output = { of($0).replied($1, $2) }
    }

    deinit {
        vterm_free(terminal)
        calls.deallocate()
    }

    private static func clamped(_ rows: Int, _ columns: Int) -> (rows: Int, columns: Int) {
        (
            min(max(1, rows), ConsoleScreen.rowsMax),
            // In a single column, libvterm 0.1 writes half of a wide character outside its memory.
            min(max(2, columns), ConsoleScreen.columnsMax)
        )
    }

    // MARK: - Output of the program

    /// Handles a piece of output. Returns the answers to the program, such as the cursor's place.
    func feed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        filter.repeats = rows.count * value.columns
        bytes.withUnsafeBytes { filter.pass($0, to: write) }
        vterm_screen_flush_damage(screen)
        changes += 1
        return taken()
    }

    private func write(_ bytes: UnsafeRawBufferPointer) {
        _ = vterm_input_write(
            terminal, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    private func taken() -> [UInt8] {
        defer { output = [] }
        return output
    }

    fileprivate func replied(_ bytes: UnsafePointer<CChar>?, _ count: Int) {
        guard let bytes, output.count + count <= Self.outputBytesMax else { return }
        output += UnsafeRawBufferPointer(start: bytes, count: count)
    }

    fileprivate func damaged(_ lines: Range<Int>) {
        stale =
            stale.isEmpty
            ? lines
            : min(stale.lowerBound, lines.lowerBound)..<max(stale.upperBound, lines.upperBound)
    }

    fileprivate func left(_ cells: UnsafePointer<VTermScreenCell>?, _ count: Int) {
        guard let cells else { return }
        if self.cells.count < count {
            self.cells = Array(repeating: napkin_cell(), count: count)
        }
        self.cells.withUnsafeMutableBufferPointer {
            napkin_vterm_flatten_row(cells, Int32(count), $0.baseAddress)
        }
        let dropped = history.append(ConsoleRow(self.cells.prefix(count)))
        // The rows to which a person has scrolled stay where they are.
        if value.scrolled > 0 { value.scrolled = min(value.scrolled + 1, history.count) }
        if let place = found { found = (place.row - dropped, place.column) }
    }

    fileprivate func changed(_ property: VTermProp, to number: Int32) {
        switch property {
        case VTERM_PROP_CURSORVISIBLE: showsCursor = number != 0
        case VTERM_PROP_ALTSCREEN:
            value.isAlternate = number != 0
            scroll(to: 0)
        case VTERM_PROP_CURSORSHAPE:
            shape = number == 2 ? .underline : number == 3 ? .bar : .block
        case VTERM_PROP_MOUSE: value.takesMouse = number != 0
        default: break
        }
    }

    fileprivate func title(_ bytes: UnsafePointer<CChar>?, _ count: Int, begins: Bool) {
        guard let bytes else { return }
        if begins { titleBytes = [] }
        titleBytes += UnsafeRawBufferPointer(
            start: bytes, count: min(count, Self.titleBytesMax - titleBytes.count))
        value.title = String(decoding: titleBytes, as: UTF8.self)
    }

    // MARK: - The screen

    /// Returns the screen as it is shown now.
    func current() -> ConsoleScreen {
        for row in stale.clamped(to: rows.indices) {
            cells.withUnsafeMutableBufferPointer {
                napkin_vterm_row(screen, Int32(row), Int32(value.columns), $0.baseAddress)
            }
            rows[row] = ConsoleRow(cells.prefix(value.columns))
        }
        stale = 0..<0
        value.history = history.count
        value.rows = value.scrolled == 0 ? rows : shown.map { row($0).cut(to: value.columns) }
        value.cursor = cursor
        return value
    }

    /// The shown rows, counted over history and screen together.
    private var shown: Range<Int> {
        let first = history.count - value.scrolled
        return first..<first + rows.count
    }

    private func row(_ index: Int) -> ConsoleRow {
        index < history.count ? history[index] : rows[index - history.count]
    }

    private var cursor: ConsoleCursor? {
        if let found, shown.contains(found.row) {
            return ConsoleCursor(row: found.row - shown.lowerBound, column: found.column)
        }
        guard showsCursor, value.scrolled == 0 else { return nil }
        let (row, column) = cursorPlace
        // After the last column, the next character begins a row.
        return ConsoleCursor(row: row, column: min(column, value.columns - 1), shape: shape)
    }

    private var cursorPlace: (row: Int, column: Int) {
        var (row, column): (Int32, Int32) = (0, 0)
        napkin_vterm_cursor(terminal, &row, &column)
        return (Int(row), Int(column))
    }

    func resize(rows: Int, columns: Int) {
        let (rows, columns) = Self.clamped(rows, columns)
        guard rows != self.rows.count || columns != value.columns else { return }
        scroll(to: 0)
        vterm_set_size(terminal, Int32(rows), Int32(columns))
        // libvterm 0.1 leaves the cursor and the margins in place, outside a smaller screen.
        let (row, column) = cursorPlace
        let place = "\(min(max(0, row), rows - 1) + 1);\(min(max(0, column), columns - 1) + 1)"
        Array("\u{1B}[?69l\u{1B}[r\u{1B}[\(place)H".utf8).withUnsafeBytes(write)
        vterm_screen_flush_damage(screen)
        value.columns = columns
        cells = Array(repeating: napkin_cell(), count: columns)
        self.rows = Array(repeating: ConsoleRow(), count: rows)
        stale = 0..<rows
        changes += 1
    }

    /// Shows the history from this many rows above the newest one.
    func scroll(to lines: Int) {
        value.scrolled = value.isAlternate ? 0 : min(max(0, lines), history.count)
        found = nil
        changes += 1
    }

    func scroll(by lines: Int) { scroll(to: value.scrolled - lines) }

    /// Scrolls to the nearest row with these words, above the shown rows or above the last match.
    func find(_ words: String) {
        let words = words.lowercased()
        guard !words.isEmpty, !value.isAlternate else { return }
        _ = current()
        var index = found?.row ?? (value.scrolled > 0 ? shown.lowerBound : shown.upperBound)
        while index > 0 {
            index -= 1
            let text = row(index).text
            guard let range = text.lowercased().firstRange(of: words) else { continue }
            let column = row(index).column(
                text.lowercased().distance(
                    from: text.lowercased().startIndex, to: range.lowerBound))
            if !shown.contains(index) { scroll(to: history.count - index + rows.count / 2) }
            found = (index, column)
            changes += 1
            return
        }
    }

    // MARK: - Input of a person

    /// Turns input into the bytes that the program expects to read; none for input that only
    /// scrolls.
    func bytes(for input: ConsoleInput) -> [UInt8] {
        switch input {
        case .key(let name): ConsoleKey(name)?.press(terminal)
        case .text(let text): for scalar in text.unicodeScalars { type(scalar) }
        case .paste(let text): paste(text)
        case .click(let row, let column):
            guard value.takesMouse else { break }
            point(row, column)
            vterm_mouse_button(terminal, 1, true, VTERM_MOD_NONE)
            vterm_mouse_button(terminal, 1, false, VTERM_MOD_NONE)
        case .wheel(let row, let column, let lines): turn(row, column, lines)
        case .resize(let rows, let columns): resize(rows: rows, columns: columns)
        case .scroll(let lines): scroll(by: min(max(-history.count, lines), history.count))
        case .find(let words): find(words)
        }
        // A person who types wants to see the place.
        if value.scrolled > 0 || found != nil, !output.isEmpty { scroll(to: 0) }
        return taken()
    }

    private func type(_ scalar: Unicode.Scalar) {
        switch scalar {
        case "\n", "\r": vterm_keyboard_key(terminal, VTERM_KEY_ENTER, VTERM_MOD_NONE)
        case "\t": vterm_keyboard_key(terminal, VTERM_KEY_TAB, VTERM_MOD_NONE)
        case " "..."~", "\u{A0}"...:
            vterm_keyboard_unichar(terminal, scalar.value, VTERM_MOD_NONE)
        default: break
        }
    }

    /// Removes anything that could end the paste early.
    private func paste(_ text: String) {
        vterm_keyboard_start_paste(terminal)
        let kept = text.unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x09, 0x0A, 0x0D: true
            case 0..<0x20, 0x7F...0x9F: false
            default: true
            }
        }
        let bytes = String(String.UnicodeScalarView(kept)).utf8.map { $0 == 10 ? 13 : $0 }
        output += bytes.prefix(max(0, Self.outputBytesMax - output.count))
        vterm_keyboard_end_paste(terminal)
    }

    private func point(_ row: Int, _ column: Int) {
        vterm_mouse_move(
            terminal, Int32(min(max(0, row), rows.count - 1)),
            Int32(min(max(0, column), value.columns - 1)), VTERM_MOD_NONE)
    }

    private func turn(_ row: Int, _ column: Int, _ lines: Int) {
        guard value.takesMouse || value.isAlternate else {
            return scroll(by: min(max(-100, lines), 100))
        }
        if value.takesMouse {
            point(row, column)
            vterm_mouse_button(terminal, lines < 0 ? 4 : 5, true, VTERM_MOD_NONE)
        } else {
            for _ in 0..<min(lines.magnitude, 10) {
                vterm_keyboard_key(
                    terminal, lines < 0 ? VTERM_KEY_UP : VTERM_KEY_DOWN, VTERM_MOD_NONE)
            }
        }
    }
}

/// Returns the terminal that libvterm calls back.
private func of(_ owner: UnsafeMutableRawPointer?) -> VirtualTerminal {
    guard let owner else { preconditionFailure("a terminal has an owner") }
    // SAFETY: set by `init`; the terminal outlives libvterm's memory.
    return Unmanaged<VirtualTerminal>.fromOpaque(owner).takeUnretainedValue()
}
