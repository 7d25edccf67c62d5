// SocketPath: a path that fits into a socket address, and a probe of the file at that path.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Invariant  1 <= utf8.count <= SocketPath.bytesMax; no zero byte.
// Spec       unix(7): sun_path has 108 bytes, the last one zero.

internal import Glibc

/// The path of a Unix socket, checked against the kernel's limits.
package struct SocketPath: Sendable, Hashable, CustomStringConvertible {
    /// The most bytes that a path may have: `sun_path` less its terminating zero. Source: unix(7).
    package static let bytesMax = 107

    /// The options by which a person chooses napkind's path.
    package static let option = "--socket PATH"

    /// The kind of file at a path.
    package enum Occupant: Sendable, Equatable {
        /// No such file.
        case absent
        /// A socket on which nobody listens: left behind, and safe to remove.
        case stale
        /// A socket on which somebody listens.
        case alive
        /// A file that is not a socket, or not a stream socket: not ours to remove.
        case notASocket
    }

    package let text: String

    /// Checks the path before libuv or the kernel sees it.
    ///
    /// - Parameter option: how a person chooses the path, for an error's advice.
    ///
    /// Errors: `ENAMETOOLONG`, `EINVAL` (empty, or containing a zero byte).
    package init(_ text: String, option: String = Self.option) throws(TransportError) {
        let count = text.utf8.count
        guard count <= Self.bytesMax else {
            throw TransportError(
                code: "ENAMETOOLONG", operation: "use socket path", subject: text,
                message: "the path has \(count) bytes, and a socket's at most \(Self.bytesMax): "
                    + "choose a shorter one with \(option)")
        }
        guard count > 0, !text.utf8.contains(0) else {
            throw TransportError(
                code: "EINVAL", operation: "use socket path", subject: text.debugDescription,
                message: "a socket's path has at least one byte, and none that is zero")
        }
        self.text = text
    }

    package var description: String { text }

    /// The path without its last component: `.` if it has only one.
    package var directory: String {
        guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == text.startIndex ? "/" : String(text[..<slash])
    }

    /// napkind's default path: in `$XDG_RUNTIME_DIR`, else below `/tmp`.
    ///
    /// A runtime directory that is not an absolute path is ignored, as its specification demands.
    /// Errors: `ENAMETOOLONG`.
    package static func napkinDefault() throws(TransportError) -> SocketPath {
        try SocketPath(SocketDirectory.napkinDefault.path + "/napkind.sock")
    }

    /// Probes the file at the path, by connecting to it if it is a socket.
    ///
    /// A listening process sees a connection that ends at once. Errors: `EACCES` and others that
    /// leave the question open.
    package func probe() throws(TransportError) -> Occupant {
        var status = stat()
        guard lstat(text, &status) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return .absent }
            throw LocalSocket.systemError("probe", on: text)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else { return .notASocket }
        let descriptor = try LocalSocket.open("probe", on: text)
        defer { Glibc.close(descriptor) }
        switch LocalSocket.connect(descriptor, to: self) {
        case 0, EAGAIN: return .alive
        case ECONNREFUSED: return .stale
        case ENOENT: return .absent
        case EPROTOTYPE: return .notASocket
        case let number: throw LocalSocket.systemError("probe", on: text, number)
        }
    }

    /// Connects without waiting, and returns the descriptor, which then blocks.
    ///
    /// Errors: `EAGAIN` if the backlog is full, and those of connect(2).
    package func connect() throws(TransportError) -> Int32 {
        let descriptor = try LocalSocket.open("connect", on: text)
        let result = LocalSocket.connect(descriptor, to: self)
        guard result == 0 else {
            Glibc.close(descriptor)
            throw LocalSocket.systemError("connect", on: text, result)
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Removes a stale socket file; does nothing if there is none.
    ///
    /// Hold a lock while calling it: between the probe and the removal another process could begin
    /// to listen. Errors: `EADDRINUSE` if somebody listens there, `ENOTSOCK` if it is not a socket.
    ///
    /// - Parameter option: how a person chooses the path, for an error's advice.
    package func removeIfStale(option: String = Self.option) throws(TransportError) {
        switch try probe() {
        case .absent: return
        case .stale:
            guard unlink(text) == 0 || errno == ENOENT else {
                throw LocalSocket.systemError("remove", on: text)
            }
        case .alive:
            throw TransportError(
                code: "EADDRINUSE", operation: "use socket path", subject: text,
                message: "another process listens there: stop it, or choose another \(option)")
        case .notASocket:
            throw TransportError(
                code: "ENOTSOCK", operation: "use socket path", subject: text,
                message: "a file that is not a socket is there: choose another \(option)")
        }
    }
}
