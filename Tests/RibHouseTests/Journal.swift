// Journal: what a test has been shown, line by line.

/// Lines in the order in which they came, and a reader that waits for the ones it expects.
@MainActor
final class Journal {
    private(set) var lines: [String] = []
    private var position = 0
    private var reader: (line: String, continuation: CheckedContinuation<Void, Never>)?

    func note(_ line: String) {
        lines.append(line)
        guard let reader, advance(to: reader.line) else { return }
        self.reader = nil
        reader.continuation.resume()
    }

    /// Returns when `line` has come after the line that was read last, and reads up to it.
    func read(_ line: String) async {
        if advance(to: line) { return }
        await withCheckedContinuation { reader = (line, $0) }
    }

    /// The lines that have not been read.
    var unread: [String] { Array(lines[position...]) }

    /// Skips what has come so far.
    func skip() { position = lines.count }

    private func advance(to line: String) -> Bool {
        guard let index = lines[position...].firstIndex(of: line) else { return false }
        position = index + 1
        return true
    }
}
