// StandardOutput: what the program says, written once for each turn of the loop.
//
// Layer      executable, output.
// Isolation  @MainActor.
// Invariant  bytes leave in the order they came; after the first failure none do.

import Glibc
import NapkinTransport

/// Collects output and writes it before the loop blocks.
///
/// A reader that is slow makes the write wait, and with it the whole front: the worker then sees a
/// slow front, keeps the newest states only, and its memory stays bounded.
@MainActor
final class StandardOutput: Flushable {
    private var pending: [UInt8] = []
    private var isBroken = false
    private let descriptor: Int32
    private let onFailure: () -> Void

    /// - Parameter onFailure: called once, when nobody reads any more.
    init(descriptor: Int32 = STDOUT_FILENO, onFailure: @escaping () -> Void = {}) {
        self.descriptor = descriptor
        self.onFailure = onFailure
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        guard !isBroken else { return }
        pending += bytes
        Loop.shared.scheduleFlush(self)
    }

    func flush() {
        let bytes = pending
        pending = []
        var offset = 0
        while offset < bytes.count, !isBroken {
            let written = bytes[offset...].withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if written > 0 {
                offset += written
            } else if written < 0, errno == EAGAIN {
                // Somebody made the terminal that we share non-blocking.
                var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&readiness, 1, -1)
            } else if written < 0, errno != EINTR {
                isBroken = true
                onFailure()
            }
        }
    }
}
