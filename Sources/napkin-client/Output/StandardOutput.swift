// StandardOutput: what the program says, written once for each turn of the loop.
//
// Layer      executable, output.
// Isolation  @MainActor.
// Ownership  keeps at most `bytesMax` bytes that a slow reader has not taken, and one turn's more.
// Invariant  bytes leave in the order they came; after the first failure none do.
// Spec       pipe(7): a pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking.

import Glibc
import NapkinTransport

/// Collects output and writes it before the loop blocks.
///
/// For a reader that is slow the output waits here, so that signals are still heard. When too much
/// waits, the whole front does: the worker then sees a slow front and keeps the newest states only.
@MainActor
final class StandardOutput: Flushable {
    /// Bytes that may wait for the reader. Chosen.
    static let bytesMax = 4_194_304
    /// Between two looks at a reader that is behind. Chosen.
    private static let retryInterval: Duration = .milliseconds(20)
    /// Milliseconds that the reader has for each piece at the end. Chosen.
    private static let finishMilliseconds: Int32 = 1000

    /// Nobody reads any more.
    static let closed = "standard output was closed"
    private static func unwritable(_ code: Int32) -> String {
        "standard output cannot be written: \(String(cString: strerror(code)))"
    }

    private var pending: [UInt8] = []
    private var retry: LoopTimer?
    private var isBroken = false
    private let descriptor: Int32
    private let onFailure: (String) -> Void

    /// - Parameter onFailure: called once, when nobody reads any more, or there is no room; with
    ///   which of the two, for people.
    init(
        descriptor: Int32 = STDOUT_FILENO, onFailure: @escaping (String) -> Void = { _ in }
    ) {
        self.descriptor = descriptor
        self.onFailure = onFailure
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        pending += bytes
        if retry == nil { Loop.shared.scheduleFlush(self) }
    }

    func flush() {
        writePending(waiting: pending.count > Self.bytesMax ? -1 : 0)
        guard !pending.isEmpty, retry == nil else { return }
        retry = LoopTimer(after: Self.retryInterval) { [weak self] in
            self?.retry = nil
            self?.flush()
        }
    }

    /// The last flush: waits a moment for a reader that is behind.
    func finish() {
        writePending(waiting: Self.finishMilliseconds)
        retry?.cancel()
    }

    private func writePending(waiting milliseconds: Int32) {
        var offset = 0
        while offset < pending.count, !isBroken, isWritable(within: milliseconds) {
            let count = min(pending.count - offset, Int(PIPE_BUF))
            let written = pending[offset...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, count)
            }
            if written > 0 {
                offset += written
            } else if written < 0, errno != EINTR, errno != EAGAIN {
                let reason = errno == EPIPE ? Self.closed : Self.unwritable(errno)
                isBroken = true
                onFailure(reason)
            }
        }
        if isBroken { pending = [] } else { pending.removeFirst(offset) }
    }

    private func isWritable(within milliseconds: Int32) -> Bool {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&readiness, 1, milliseconds) != 0
    }
}
