// StandardStream: standard output and standard error, the only streams on which a process prints.
//
// Layer      transport, output. Plain system calls, no libuv.
// Isolation  value; any thread may write, and one write is one line of a log.
// Spec       pipe(7): a pipe that poll(2) calls writable takes PIPE_BUF bytes without blocking.

internal import Glibc

package struct StandardStream: Sendable {
    package static let output = StandardStream(descriptor: STDOUT_FILENO)
    package static let error = StandardStream(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    package init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes all of the text, and blocks while the reader is slow.
    ///
    /// Errors: `EPIPE` when the reader has gone, `EBADF` when the stream is closed, `ENOSPC`, …
    package func write(_ text: PrintableText) throws(TransportError) {
        var rest = text
        while !rest.isEmpty { try write(&rest, waiting: -1) }
    }

    /// Writes as much as the reader takes, and removes it from `text`.
    ///
    /// - Parameter milliseconds: the wait for the reader before each piece; -1 for ever.
    /// Errors: as above.
    package func write(
        _ text: inout PrintableText, waiting milliseconds: Int32
    ) throws(TransportError) {
        var written = 0
        defer { text.removeFirst(written) }
        while written < text.bytes.count, isWritable(within: milliseconds) {
            let count = text.bytes[written...].prefix(Int(PIPE_BUF)).withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress, $0.count)
            }
            if count > 0 {
                written += count
            } else if count < 0, errno != EINTR, errno != EAGAIN {
                throw LocalSocket.systemError("write", on: "descriptor \(descriptor)")
            }
        }
    }

    private func isWritable(within milliseconds: Int32) -> Bool {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        return poll(&readiness, 1, milliseconds) != 0
    }
}
