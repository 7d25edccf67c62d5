// LiveText: text that changes, block after block, until a signal.
//
// Ownership  owns the output and the watchers of the signals that end it.
// Invariant  nothing is written unless the text has changed.

import Glibc
import NapkinTransport

@MainActor
final class LiveText {
    private let output = StandardOutput { LiveText.end($0) }
    private var lines: [String]?
    private var signals: [SignalWatcher] = []

    init() throws(ClientFailure) {
        signals = try SignalWatcher.endings { [weak self] in self?.leave() }
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

    /// Writes a text, if it has changed, below the former one.
    func show(_ new: [String]) {
        guard new != lines else { return }
        output.write((lines == nil ? "" : "\n") + PrintableText(lines: new))
        lines = new
    }

    /// Writes a separate line: of JSON, or of a list that grows.
    func append(_ line: PrintableText) { output.write(line) }

    func finish() throws(ClientFailure) { try output.finish() }
}
