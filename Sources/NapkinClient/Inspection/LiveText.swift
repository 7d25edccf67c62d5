// LiveText: text that changes: in place on a terminal, block after block in a pipe.
//
// Layer      executable, inspection.
// Isolation  @MainActor.
// Ownership  owns the output and the watchers of the signals that end it or change its size.
// Invariant  nothing is written unless the text or the terminal's size has changed.

import Glibc
import NapkinElements
import NapkinTerminal
import NapkinTransport

/// Shows the newest text, with the changes since the previous one highlighted.
@MainActor
final class LiveText {
    private let output = StandardOutput { LiveText.end($0) }
    private let isTerminal: Bool
    /// The newest text, for the available columns.
    private var text: (Int) -> [String] = { _ in [] }
    private var lines: [String] = []
    private var changed: Set<Int> = []
    private var hasShown = false
    private var signals: [SignalWatcher] = []

    /// - Parameter isJSON: lines of JSON are never drawn in place.
    init(isJSON: Bool) throws(ClientFailure) {
        isTerminal = isatty(STDOUT_FILENO) != 0 && !isJSON
        do throws(TransportError) {
            for signal in [SIGINT, SIGTERM, SIGHUP] {
                signals.append(try SignalWatcher(signal) { [weak self] in self?.leave() })
            }
            if isTerminal {
                signals.append(try SignalWatcher(SIGWINCH) { [weak self] in self?.resize() })
            }
        } catch {
            throw ClientFailure(error)
        }
    }

    private nonisolated static func end(_ failure: ClientFailure) -> Never {
        if !failure.isReaderGone { failure.report() }
        Glibc.exit(failure.status)
    }

    private func leave() {
        do throws(ClientFailure) {
            try finish()
            Glibc.exit(0)
        } catch {
            Self.end(error)
        }
    }

    /// Shows a text, if it has changed.
    func show(_ lines: [String]) { show(forColumns: { _ in lines }) }

    /// Shows a text that depends on the terminal's width, if it has changed.
    func show(forColumns text: @escaping (Int) -> [String]) {
        self.text = text
        let new = text(size.columns).map(PrintableText.escaped)
        guard new != lines || !hasShown else { return }
        changed = hasShown ? Self.changes(from: lines, to: new) : []
        lines = new
        if isTerminal {
            draw()
        } else {
            output.write((hasShown ? "\n" : "") + PrintableText(lines: new))
        }
        hasShown = true
    }

    /// Writes a separate line: of JSON, or of a list that grows.
    func append(_ line: PrintableText) { output.write(line) }

    /// Writes the rest.
    func finish() throws(ClientFailure) { try output.finish() }

    /// Returns the numbers of the lines that are new. Lines that only moved are not included.
    nonisolated static func changes(from old: [String], to new: [String]) -> Set<Int> {
        let difference = new.difference(from: old)
        return Set(
            difference.insertions.compactMap { change in
                guard case .insert(let offset, _, _) = change else { return nil }
                return offset
            })
    }

    /// The terminal's size, as far as it is known; a pipe takes lines of any length.
    private var size: (columns: Int, rows: Int) {
        guard isTerminal else { return (.max, .max) }
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        return isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    }

    private func resize() {
        guard hasShown else { return }
        (lines, changed) = (text(size.columns).map(PrintableText.escaped), [])
        draw()
    }

    private func draw() {
        let (columns, rows) = size
        let picture = Self.picture(lines, changed, columns: columns, rows: rows)
        // The first picture clears; the others overwrite what is there, so that nothing flickers.
        output.write((hasShown ? "" : "\u{1B}[2J") + picture)
    }

    /// The width in cells below which a line is cut, since wrapping would be unreadable. Chosen.
    private nonisolated static let columnsToWrap = 20
    /// The characters with which the text's trees are drawn; wrapped lines continue the branches.
    private nonisolated static let branches: Set<Character> = [" ", "│", "├", "└", "─"]

    /// Wraps a line into as many as it takes, the further ones a little indented.
    private nonisolated static func fitted(_ line: String, _ columns: Int) -> [String] {
        guard CellWidth.cells(of: line) > columns else { return [line] }
        let start = line.prefix { branches.contains($0) }
        let width = columns - start.count - 2
        guard width >= columnsToWrap else {
            return [CellWidth.prefix(of: line, width: max(0, columns - 1)).text + "…"]
        }
        let indent = String(repeating: " ", count: start.count + 2)
        let pieces = StyledLine(String(line.dropFirst(start.count))).wrapped(to: width)
        return pieces.enumerated().map { ($0 == 0 ? String(start) : indent) + $1.text }
    }

    /// Returns the text from the upper left corner, as much of it as fits.
    nonisolated static func picture(
        _ lines: [String], _ changed: Set<Int>, columns: Int, rows: Int
    ) -> PrintableText {
        let all = lines.enumerated().flatMap { index, line in
            fitted(line, columns).map { (text: $0, isSetOff: changed.contains(index)) }
        }
        var shown = Array(all.prefix(rows))
        if all.count > rows, rows > 0 {
            let more = "… \(all.count - rows + 1) more lines: make the window higher"
            let text = CellWidth.prefix(of: more, width: columns).text
            shown[rows - 1] = (text, false)
        }
        var picture: PrintableText = "\u{1B}[H"
        for (row, line) in shown.enumerated() {
            if row > 0 { picture += "\r\n" }
            let text = PrintableText(escaping: line.text)
            picture += line.isSetOff ? "\u{1B}[7m" + text + "\u{1B}[0m" : text
            picture += "\u{1B}[K"
        }
        return picture + "\u{1B}[J"
    }
}
