// LineReader: standard input, line by line, on the loop.
//
// Ownership  owns its watcher while it reads.
// Invariant  reads nothing after the end of the input and reports that end once.

import Glibc
import NapkinTransport

@MainActor
final class LineReader {
    /// Whether input can come at all: from a terminal, a pipe, a socket or a file, but not from
    /// `/dev/null`, the input of a program that nobody talks to. In a shell's background,
    /// reading would stop this program.
    static let canRead: Bool = {
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0 else { return false }
        guard isatty(STDIN_FILENO) != 0 else { return status.st_mode & S_IFMT != S_IFCHR }
        return tcgetpgrp(STDIN_FILENO) == getpgrp()
    }()

    private var lines: InputLines
    private var watcher: DescriptorWatcher?
    private var hasEnded = false
    private let received: (InputLines.Line) -> Void
    private let ended: () -> Void

    init(
        _ lines: InputLines = InputLines(), received: @escaping (InputLines.Line) -> Void,
        ended: @escaping () -> Void
    ) {
        self.lines = lines
        self.received = received
        self.ended = ended
    }

    func start() {
        guard watcher == nil, !hasEnded else { return }
        do {
            watcher = try DescriptorWatcher(STDIN_FILENO) { [weak self] in self?.read() }
        } catch {
            // A closed standard input has no lines.
            finish()
        }
    }

    func pause() { watcher.take()?.cancel() }

    /// Stops reading for good.
    func finish() {
        pause()
        guard !hasEnded else { return }
        hasEnded = true
        ended()
    }

    private func read() {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        guard count > 0 else {
            if let last = lines.finish() { received(last) }
            return finish()
        }
        for line in lines.append(buffer[..<count]) where !hasEnded { received(line) }
    }
}
