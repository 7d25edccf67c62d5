// LocalSocket: the system calls on AF_UNIX stream sockets that libuv does not make.
//
// Layer      transport, sockets. Plain system calls, no libuv.
// Isolation  any thread: the functions use only their arguments.
// Ownership  a descriptor returned belongs to the caller; one passed in stays the caller's.
// Spec       unix(7), socket(7). libuv's bind (1.44) truncates long paths and is not used.

internal import Glibc

enum LocalSocket {
    /// Creates a stream socket, close-on-exec.
    static func open(_ operation: String, on subject: String) throws(TransportError) -> Int32 {
        let descriptor = socket(AF_UNIX, streamType | closeOnExec, 0)
        guard descriptor >= 0 else { throw systemError(operation, on: subject) }
        return descriptor
    }

    /// Creates two connected stream sockets, both close-on-exec.
    static func pair() throws(TransportError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, streamType | closeOnExec, 0, &ends) == 0 else {
            throw systemError("socketpair", on: "AF_UNIX")
        }
        return (ends[0], ends[1])
    }

    /// Connects without blocking. Returns 0 or the `errno`; EAGAIN means that the backlog is full.
    static func connect(_ descriptor: Int32, to path: SocketPath) -> Int32 {
        setNonBlocking(descriptor)
        var result: Int32
        repeat {
            result = withAddress(of: path) { address, length in
                Glibc.connect(descriptor, address, length) == 0 ? 0 : errno
            }
        } while result == EINTR
        return result
    }

    /// Creates a socket that is bound to `path`, with mode 0600, and listens.
    static func listen(at path: SocketPath, backlog: Int32) throws(TransportError) -> Int32 {
        let descriptor = try open("listen", on: path.text)
        let bound = withAddress(of: path) { address, length in
            bind(descriptor, address, length) == 0 ? 0 : errno
        }
        guard bound == 0 else {
            Glibc.close(descriptor)
            throw bindError(bound, path)
        }
        // Nobody can connect before listen(2), so the wider mode is never exposed.
        guard chmod(path.text, 0o600) == 0, Glibc.listen(descriptor, backlog) == 0 else {
            let error = systemError("listen", on: path.text)
            Glibc.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Creates a socket that listens at an abstract name, which has no file.
    static func listen(atAbstract name: String) throws(TransportError) -> Int32 {
        let descriptor = try open("listen", on: name)
        let bound = withAddress(ofAbstract: name) { bind(descriptor, $0, $1) }
        guard bound == 0, Glibc.listen(descriptor, questionsMax) == 0 else {
            let error = systemError("listen", on: name)
            Glibc.close(descriptor)
            throw error
        }
        setNonBlocking(descriptor)
        return descriptor
    }

    /// The number of connections to an abstract name that may wait until ``ClaimedName/clear(_:)``.
    /// Chosen: each comes from a process that asks who holds the name, and goes at once.
    static let questionsMax: Int32 = 64

    /// Connects to an abstract name, as ``connect(_:to:)`` does to a path.
    static func connect(_ descriptor: Int32, toAbstract name: String) -> Int32 {
        setNonBlocking(descriptor)
        return withAddress(ofAbstract: name) { address, length in
            Glibc.connect(descriptor, address, length) == 0 ? 0 : errno
        }
    }

    private static func bindError(_ number: Int32, _ path: SocketPath) -> TransportError {
        guard number == EADDRINUSE else { return systemError("bind", on: path.text, number) }
        return TransportError(
            code: "EADDRINUSE", operation: "bind", subject: path.text,
            message: "a file exists already: probe it, and remove it only if it is stale")
    }

    /// Refuses a descriptor that is not an AF_UNIX stream socket, and makes it close-on-exec.
    static func checkAdoptable(_ descriptor: Int32, listening: Bool) throws(TransportError) {
        let subject = "descriptor \(descriptor)"
        let domain = try option(descriptor, SO_DOMAIN, on: subject)
        let type = try option(descriptor, SO_TYPE, on: subject)
        let accepts = try option(descriptor, SO_ACCEPTCONN, on: subject)
        guard domain == AF_UNIX, type == streamType, (accepts != 0) == listening else {
            let wanted = listening ? "a listening" : "a connected"
            throw TransportError(
                code: "EINVAL", operation: "adopt", subject: subject,
                message: "not \(wanted) AF_UNIX stream socket")
        }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw systemError("adopt", on: subject)
        }
    }

    /// Refuses a descriptor that is neither a pipe nor a socket: epoll(7) cannot watch a file.
    static func checkStream(_ descriptor: Int32) throws(TransportError) {
        let subject = "descriptor \(descriptor)"
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw systemError("adopt", on: subject) }
        guard [S_IFIFO, S_IFSOCK].contains(status.st_mode & S_IFMT) else {
            throw TransportError(
                code: "EINVAL", operation: "adopt", subject: subject,
                message: "neither a pipe nor a socket")
        }
    }

    /// Returns the peer's process, user and group at the time of connect(2) or socketpair(2).
    static func peer(of descriptor: Int32) -> PeerCredentials? {
        // struct ucred, which the Glibc module does not import: pid_t, uid_t, gid_t. See unix(7).
        var credentials: (processID: pid_t, userID: uid_t, groupID: gid_t) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else {
            return nil
        }
        return PeerCredentials(
            processID: credentials.processID, userID: credentials.userID,
            groupID: credentials.groupID)
    }

    static func close(_ descriptor: Int32) { Glibc.close(descriptor) }

    /// Returns another descriptor for the same socket, close-on-exec; -1 if none is left.
    static func duplicate(_ descriptor: Int32) -> Int32 { fcntl(descriptor, F_DUPFD_CLOEXEC, 0) }

    /// Returns the error for an `errno`, by default the current one.
    static func systemError(
        _ operation: String, on subject: String, _ number: Int32 = errno
    ) -> TransportError {
        uvError(-number, operation, on: subject)
    }

    // MARK: - Parts

    private static var streamType: Int32 { Int32(SOCK_STREAM.rawValue) }
    private static var closeOnExec: Int32 { Int32(SOCK_CLOEXEC.rawValue) }

    private static func setNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    private static func option(
        _ descriptor: Int32, _ name: Int32, on subject: String
    ) throws(TransportError) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, name, &value, &length) == 0 else {
            throw systemError("adopt", on: subject)
        }
        return value
    }

    /// Calls `body` with the address of a path.
    static func withAddress<R>(
        of path: SocketPath, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        // SocketPath guarantees that the bytes and a terminating zero fit.
        withAddress(Array(path.text.utf8), MemoryLayout<sockaddr_un>.size, body)
    }

    private static func withAddress<R>(
        ofAbstract name: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        // Unlike a path's, an abstract name's length counts: further bytes would be part of it.
        let bytes = [0] + Array(name.utf8.prefix(SocketPath.bytesMax))
        return withAddress(bytes, MemoryLayout<sa_family_t>.size + bytes.count, body)
    }

    private static func withAddress<R>(
        _ bytes: [UInt8], _ length: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(length))
            }
        }
    }
}

/// The process at the other end when the connection was made. Source: unix(7), SO_PEERCRED.
///
/// The accepting side sees the process that connected. The connecting side sees the process that
/// called listen(2), which may have handed the socket to another (napkind to its worker).
///
/// The kernel vouches for these values: unlike anything the peer sends, they cannot be forged. The
/// process may have ended since, and its number may belong to another.
package struct PeerCredentials: Sendable, Equatable {
    package let processID: Int32
    package let userID: UInt32
    package let groupID: UInt32
}

extension PeerCredentials {
    /// Reads the credentials of the peer of a socket that has no channel; `nil` if the kernel gives
    /// none.
    package init?(of descriptor: Int32) {
        guard let peer = LocalSocket.peer(of: descriptor) else { return nil }
        self = peer
    }

    /// The user id that a namespace shows for a user whom it does not map. Source:
    /// user_namespaces(7).
    static let unmappedUser: UInt32 = 65_534

    /// Describes the user of a peer, as `user 7`, unless it is this user; `nil` then. A peer whose
    /// user is unknown is a stranger.
    package static func stranger(_ peer: PeerCredentials?) -> String? {
        guard let peer else { return "a user whom the kernel does not identify" }
        guard peer.userID != geteuid() else { return nil }
        let isUnmapped = peer.userID == unmappedUser
        return "user \(peer.userID)"
            + (isUnmapped ? " (nobody, or one whom this namespace does not know)" : "")
    }
}
