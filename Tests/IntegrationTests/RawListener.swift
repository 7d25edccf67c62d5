// RawListener: something that listens at a path and is no napkind.

import Foundation
import Synchronization

/// A listening Unix socket; each connection is served on a thread of its own.
final class RawListener: Sendable {
    private let descriptor: Int32

    /// Listens when it returns.
    init(_ path: String, serve: @escaping @Sendable (RawPeer) throws -> Void) throws {
        let descriptor = RawPeer.openSocket()
        self.descriptor = descriptor
        let status = RawPeer.withAddress(of: path) { bind(descriptor, $0, $1) }
        guard status == 0, listen(descriptor, 8) == 0 else {
            throw Failure("cannot listen at \(path): errno \(errno)")
        }
        Thread.detachNewThread {
            while true {
                guard let connection = Self.accept(descriptor) else { return }
                Thread.detachNewThread {
                    // What the client thinks of it is what the test looks at.
                    try? serve(RawPeer(descriptor: connection))
                }
            }
        }
    }

    /// The next connection, which no child inherits; `nil` when the socket has been shut down.
    private static func accept(_ descriptor: Int32) -> Int32? {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readiness, 1, -1) < 0 && errno == EINTR {}
        return Spawned.turn.withLock { _ in
            let connection = Foundation.accept(descriptor, nil, nil)
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return connection
        }
    }

    /// Ends the thread that accepts; it was told by the shut-down, not by the number's end.
    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }
}
