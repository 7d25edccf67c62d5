// RawPeer: a socket without any code of ours behind it, for what a stranger may send.
//
// Isolation  none of its own; one thread at a time.

import Foundation
import Synchronization

/// A connected Unix socket; blocking, with a time limit on each call.
package final class RawPeer {
    /// Seconds after which a read that brings nothing is a failure.
    package static let patienceSeconds = 10

    private var descriptor: Int32

    package convenience init(_ path: String) throws {
        self.init(descriptor: try Self.connect(to: path))
    }

    /// Takes over a connected socket.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        wait(seconds: Self.patienceSeconds)
    }

    deinit { close() }

    /// How long a call may bring nothing.
    package func wait(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// Closes before what has come has been read.
    package func close() {
        if descriptor >= 0 { _ = Foundation.close(descriptor) }
        descriptor = -1
    }

    // MARK: - Bytes

    /// Sends bytes; what a peer that has closed does not take is of no interest.
    package func send(_ bytes: [UInt8]) { Self.send(bytes[...], to: descriptor) }

    package static func send(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.send(
                    descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Waits for bytes; 0 at the end, and `nil` when none have come in time.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count < 0 { return errno == ECONNRESET ? 0 : nil }
        return count
    }

    /// Everything until the other side closes; throws when it does not.
    package func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            guard let count = buffer.withUnsafeMutableBytes({ read(into: $0) }) else {
                throw Failure("the other side neither answered nor closed: errno \(errno)")
            }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    /// So many bytes; throws when there are fewer before the end.
    package func readExactly(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count {
            let rest = count - bytes.count
            let got = buffer.withUnsafeMutableBytes { buffer in
                read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<rest]))
            }
            guard let got, got > 0 else { throw Failure("the other side closed: errno \(errno)") }
            bytes += buffer[..<got]
        }
        return bytes
    }

    // MARK: - Sockets

    /// A new socket, which no child inherits, connected to a path. Waits while the backlog is full.
    package static func connect(to path: String) throws -> Int32 {
        let descriptor = openSocket()
        guard withAddress(of: path, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
            defer { _ = Foundation.close(descriptor) }
            throw Failure("cannot connect to \(path): errno \(errno)")
        }
        return descriptor
    }

    /// A new socket, which no child inherits, that listens at a path.
    package static func listen(at path: String) throws -> Int32 {
        let descriptor = openSocket()
        guard withAddress(of: path, { bind(descriptor, $0, $1) }) == 0,
            Foundation.listen(descriptor, 8) == 0
        else {
            defer { _ = Foundation.close(descriptor) }
            throw Failure("cannot listen at \(path): errno \(errno)")
        }
        return descriptor
    }

    private static func openSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// The next connection, which no child inherits; `nil` when the socket has been shut down.
    package static func accept(from descriptor: Int32) -> Int32? {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readiness, 1, -1) < 0 && errno == EINTR {}
        return Spawned.alone {
            let connection = Foundation.accept(descriptor, nil, nil)
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return connection
        }
    }

    private static func withAddress<R>(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
