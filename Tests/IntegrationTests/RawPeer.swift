// RawPeer: a socket without any code of ours behind it, for what a stranger may send.

import Foundation
import Synchronization

/// A connected Unix socket; blocking, with a time limit on each read.
final class RawPeer {
    /// Seconds after which a read that brings nothing is a failure.
    static let patienceSeconds = 10

    private let descriptor: Int32

    convenience init(_ path: String) throws {
        self.init(descriptor: Self.openSocket())
        let status = Self.withAddress(of: path) { connect(descriptor, $0, $1) }
        guard status == 0 else { throw Failure("cannot connect to \(path): errno \(errno)") }
    }

    /// Takes over a connected socket.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        wait(seconds: Self.patienceSeconds)
    }

    /// How long a read may bring nothing.
    func wait(seconds: Int) {
        var limit = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// A new socket that no child inherits.
    static func openSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    }

    /// The next connection, which no child inherits; `nil` when the socket has been shut down.
    static func accept(from descriptor: Int32) -> Int32? {
        var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&readiness, 1, -1) < 0 && errno == EINTR {}
        return Spawned.turn.withLock { _ in
            let connection = Foundation.accept(descriptor, nil, nil)
            guard connection >= 0 else { return nil }
            _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
            return connection
        }
    }

    static func withAddress<R>(
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

    /// Sends bytes; what a peer that has closed does not take is of no interest.
    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Everything until the other side closes; throws when it does not.
    func readToEnd() throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return bytes }
            guard count > 0 else {
                throw Failure("the other side neither answered nor closed: errno \(errno)")
            }
            bytes += buffer[..<count]
        }
    }

    /// The next whole frame: its kind and its payload.
    func readFrame() throws -> (kind: UInt8, payload: [UInt8]) {
        let (kind, _, payload) = try readNumberedFrame()
        return (kind, payload)
    }

    /// The next whole frame with its sequence.
    func readNumberedFrame() throws -> (kind: UInt8, sequence: UInt64, payload: [UInt8]) {
        let length = try readExactly(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        let rest = try readExactly(length)
        let sequence = rest[12..<20].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return (rest[0], sequence, Array(rest[24...]))
    }

    private func readExactly(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: count)
        while bytes.count < count {
            let got = read(descriptor, &buffer, count - bytes.count)
            guard got > 0 else { throw Failure("the other side closed: errno \(errno)") }
            bytes += buffer[..<got]
        }
        return bytes
    }

    /// A frame by the book: Protocol/SPEC.md, section 5 (Framing).
    static func frame(
        _ kind: UInt8, node: UInt32 = 0, epoch: UInt32 = 0, sequence: UInt64 = 0,
        method: UInt32 = 0, payload: [UInt8] = []
    ) -> [UInt8] {
        var bytes = little(UInt32(24 + payload.count)) + [kind, 0, 0, 0]
        bytes += little(node) + little(epoch) + little(sequence) + little(method)
        return bytes + payload
    }

    private static func little<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}

extension RawPeer {
    /// What napkind at `socket` gives a front for a session, which it creates.
    static func ticket(at socket: String, app: String, session: String) throws -> String {
        let door = try RawPeer(socket)
        door.send(Item.hello())
        guard try door.readFrame().kind == 2 else { throw Failure("no welcome") }
        let open = Item.map([
            ("app", .text(app)), ("session", .text(session)), ("creates", .truth(true)),
        ])
        door.send(frame(16, sequence: 1, payload: open.bytes))
        let (kind, payload) = try door.readFrame()
        // After the key: a head of two bytes (text of 32 bytes), then the text.
        let text = String(decoding: payload, as: UTF8.self)
        let parts = text.components(separatedBy: "ticket")
        guard kind == 17, parts.count == 2 else { throw Failure("no ticket in the redirect") }
        return String(parts[1].unicodeScalars.filter { $0.properties.isASCIIHexDigit }.prefix(32))
    }
}

/// Just enough CBOR to say hello: RFC 8949.
indirect enum Item {
    case number(Int)
    case hash(UInt64)
    case truth(Bool)
    case text(String)
    case list([Item])
    case map([(String, Item)])

    var bytes: [UInt8] {
        switch self {
        case .number(let value): return head(0, value)
        case .hash(let value):
            return [0x1B] + (0..<8).reversed().map { UInt8(value >> ($0 * 8) & 255) }
        case .truth(let value): return [value ? 0xF5 : 0xF4]
        case .text(let text): return head(3, text.utf8.count) + text.utf8
        case .list(let items): return items.reduce(into: head(4, items.count)) { $0 += $1.bytes }
        case .map(let entries):
            return entries.reduce(into: head(5, entries.count)) { bytes, entry in
                bytes += Item.text(entry.0).bytes + entry.1.bytes
            }
        }
    }

    private func head(_ major: UInt8, _ value: Int) -> [UInt8] {
        if value < 24 { return [major << 5 | UInt8(value)] }
        if value < 256 { return [major << 5 | 24, UInt8(value)] }
        if value < 65536 { return [major << 5 | 25, UInt8(value >> 8), UInt8(value & 255)] }
        return [major << 5 | 26] + (0..<4).reversed().map { UInt8(value >> ($0 * 8) & 255) }
    }

    static func hello(
        major: Int = 1, minor: Int = 0, role: String = "front", client: String = "stranger 1",
        ticket: String? = nil
    ) -> [UInt8] {
        let version = Item.map([("major", .number(major)), ("minor", .number(minor))])
        var entries: [(String, Item)] = [
            ("oldest", version), ("newest", version), ("role", .text(role)),
            ("client", .text(client)),
        ]
        if let ticket { entries.append(("ticket", .text(ticket))) }
        return RawPeer.frame(1, payload: Item.map(entries).bytes)
    }
}
