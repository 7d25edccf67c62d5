// NameSource: asks a running daemon for names, and is silent if that does not work at once.
//
// Isolation  any thread: plain blocking calls with one deadline, before there is a loop.
// Ownership  owns its descriptor.
// Invariant  never starts a daemon or a worker; never takes longer than `milliseconds`.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up);
//            Protocol/TOOLS.md, section 1 (Queries)

import Glibc
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

/// The names with which a shell may complete a word.
struct NameSource: ~Copyable {
    /// The deadline for all queries together; NAPKIN_COMPLETION_MILLISECONDS overrides it. Chosen:
    /// with the program's own start it stays below 200 ms.
    static var milliseconds: Int64 {
        getenv("NAPKIN_COMPLETION_MILLISECONDS").flatMap { Int64(String(cString: $0)) } ?? 150
    }
    /// Bytes of answers that are read. Chosen: far above any schema.
    static let bytesMax = 4 * 1024 * 1024

    private let descriptor: Int32
    private let deadline: Int64
    private var sequence: UInt64 = 0
    private var unread: [UInt8] = []

    /// Connects to the daemon that listens at `path`; `nil` if none does, or another user's.
    init?(path: SocketPath) {
        deadline = Self.now + Self.milliseconds
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.text.utf8) }
        let connected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0, Self.isOurs(descriptor), greet() else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whether the socket, which may be in a shared directory, is ours; the kernel says whose it
    /// is.
    private static func isOurs(_ descriptor: Int32) -> Bool {
        PeerCredentials.stranger(PeerCredentials(of: descriptor)) == nil
    }

    private mutating func greet() -> Bool {
        let hello = Hello(role: .tool, client: MainCommand.name)
        return send(FrameHeader(.hello), hello) && receive()?.header.kind == .welcome
    }

    /// Returns the answer; `nil` if there is none in time.
    mutating func ask<T: Decodable>(_ query: Query, _ type: T.Type = T.self) -> T? {
        ask([query], type).first
    }

    /// Returns the answers that come in time; all queries are sent at once, so that none waits for
    /// another.
    mutating func ask<T: Decodable>(_ queries: [Query], _ type: T.Type) -> [T] {
        var open: [UInt64: (query: Query, bytes: [UInt8])] = [:]
        for query in queries {
            sequence += 1
            guard send(FrameHeader(.query, sequence: sequence), query) else { return [] }
            open[sequence] = (query, [])
        }
        var answers: [T] = []
        while !open.isEmpty, let (header, payload) = receive() {
            guard let (query, bytes) = open.removeValue(forKey: header.sequence),
                header.kind == .answer, bytes.count < Self.bytesMax
            else { continue }
            guard header.node == 0 else {
                sequence += 1
                let rest = query.continued(from: header.node)
                guard send(FrameHeader(.query, sequence: sequence), rest) else { return answers }
                open[sequence] = (query, bytes + payload)
                continue
            }
            let answer = (bytes + payload).withUnsafeBytes { bytes in
                var reader = CBORReader(bytes)
                // There is nobody to whom an unreadable answer could be reported.
                return try? reader.read(type)
            }
            if let answer { answers.append(answer) }
        }
        return answers
    }

    private func send(_ header: FrameHeader, _ value: some Encodable) -> Bool {
        // A query that cannot be written has no answer.
        guard let frame = try? header.encoded(value) else { return false }
        var sent = 0
        while sent < frame.count, wait(for: Int16(POLLOUT)) {
            let count = frame[sent...].withUnsafeBytes {
                Glibc.send(
                    descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return sent == frame.count
    }

    /// Returns the next frame that arrives in time.
    private mutating func receive() -> (header: FrameHeader, payload: [UInt8])? {
        while true {
            if let frame = takeFrame() { return frame }
            guard unread.count < Self.bytesMax, wait(for: Int16(POLLIN)) else { return nil }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return nil }
            unread += buffer[..<count]
        }
    }

    private mutating func takeFrame() -> (header: FrameHeader, payload: [UInt8])? {
        let taken = unread.withUnsafeBytes { bytes -> (Int, Frame.Parts)? in
            var rest = bytes
            var decoder = FrameDecoder(limit: Self.bytesMax)
            // A daemon that breaks the protocol has no usable names.
            guard let frame = try? decoder.next(&rest) else { return nil }
            return (bytes.count - rest.count, Frame.Parts(frame))
        }
        guard let (count, parts) = taken else { return nil }
        unread.removeFirst(count)
        return (parts.header, parts.payload)
    }

    private func wait(for events: Int16) -> Bool {
        let left = deadline - Self.now
        guard left > 0 else { return false }
        var readiness = pollfd(fd: descriptor, events: events, revents: 0)
        return poll(&readiness, 1, Int32(left)) == 1
    }

    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Frame {
    /// The parts of a frame, copied from the bytes that it borrows.
    fileprivate struct Parts {
        var header: FrameHeader
        var payload: [UInt8]

        init(_ frame: Frame) {
            header = frame.header
            payload = Array(frame.payload)
        }
    }
}
