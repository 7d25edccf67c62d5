// LiveText: text that changes: in place on a terminal, block after block in a pipe.
//
// Layer      executable, inspection.
// Isolation  @MainActor.
// Ownership  owns the output and the watchers of the signals that end it or change its size.
// Invariant  nothing is written unless the text or the terminal's size has changed.

import Glibc
import NapkinTerminal
import NapkinTransport

/// Shows the newest text, with what has changed since the last one set off.
@MainActor
final class LiveText {
    private let output = StandardOutput { Glibc.exit(ExitTable.ioError) }
    private let isTerminal: Bool
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
                signals.append(try SignalWatcher(SIGWINCH) { [weak self] in self?.draw() })
            }
        } catch {
            throw ClientFailure(error)
        }
    }

    private func leave() {
        finish()
        Glibc.exit(0)
    }

    /// Shows a text, if it is another one.
    func show(_ text: [String]) {
        guard text != lines || !hasShown else { return }
        changed = hasShown ? Self.changes(from: lines, to: text) : []
        lines = text
        if isTerminal {
            draw()
        } else {
            output.write((hasShown ? "\n" : "") + text.joined(separator: "\n") + "\n")
        }
        hasShown = true
    }

    /// Writes a line of its own: of JSON, or of a list that grows.
    func append(_ bytes: [UInt8]) { output.write(bytes) }

    /// The last of it is written.
    func finish() { output.finish() }

    /// The numbers of the lines that were not there before. Lines that only moved are not meant.
    nonisolated static func changes(from old: [String], to new: [String]) -> Set<Int> {
        let difference = new.difference(from: old)
        return Set(
            difference.insertions.compactMap { change in
                guard case .insert(let offset, _, _) = change else { return nil }
                return offset
            })
    }

    private func draw() {
        var size = winsize()
        let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0
        let picture = Self.picture(
            lines, changed, columns: isKnown ? Int(size.ws_col) : 80,
            rows: isKnown ? Int(size.ws_row) : 24)
        // The first clears; the others write over what is there, so that nothing flickers.
        output.write((hasShown ? "" : "\u{1B}[2J") + picture)
    }

    /// A line that would be wrapped would move all the others.
    private nonisolated static func fitted(_ line: String, _ columns: Int) -> String {
        guard CellWidth.cells(of: line) > columns else { return line }
        return CellWidth.prefix(of: line, width: max(0, columns - 1)).text + "…"
    }

    /// The text from the upper left corner on, as much of it as fits.
    nonisolated static func picture(
        _ lines: [String], _ changed: Set<Int>, columns: Int, rows: Int
    ) -> String {
        var shown = Array(lines.prefix(rows))
        if lines.count > rows, rows > 0 {
            shown[rows - 1] = "… \(lines.count - rows + 1) more lines: make the window higher"
        }
        let drawn = shown.enumerated().map { index, line in
            let text = fitted(line, columns)
            let isSetOff = changed.contains(index) && index < lines.count
            return (isSetOff ? "\u{1B}[7m\(text)\u{1B}[0m" : "\(text)") + "\u{1B}[K"
        }
        return "\u{1B}[H" + drawn.joined(separator: "\r\n") + "\u{1B}[J"
    }
}
