// Wire: a connected Unix socket that blocks, and the frames that come from it.
//
// Layer      test executable: nothing of the runtime, so that it can do what no front does.
// Isolation  none of its own; one thread.

import Glibc
import NapkinProtocol

/// Bytes out, frames in.
final class Wire {
    /// Seconds after which a read that brings nothing has failed.
    static let patienceSeconds = 10

    private var descriptor: Int32
    private var decoder = FrameDecoder(limit: Limits.frameBytesMax)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 8)

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: Self.patienceSeconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(
                descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        guard Self.connect(descriptor, to: path) else {
            throw Violation(description: "cannot connect to \(path): errno \(errno)")
        }
    }

    deinit {
        close()
        buffer.deallocate()
    }

    /// Closes before what has come has been read.
    func close() {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
        descriptor = -1
    }

    /// Waits, as a blocking socket does, while the other side's backlog is full.
    private static func connect(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
    }

    /// Sends bytes; what a peer that has closed does not take is of no interest.
    func send(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.send(
                    descriptor, part.baseAddress, part.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// What a read found.
    enum Arrival { case frames, end, nothing }

    /// Waits for bytes and hands over each whole frame; `nothing` when the patience is at its end.
    func read(
        _ take: (FrameHeader, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Arrival {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count == 0 || (count < 0 && errno == ECONNRESET) { return .end }
        guard count > 0 else { return .nothing }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        while decoder.isHolding || !rest.isEmpty, let frame = try decoder.next(&rest) {
            try take(frame.header, frame.payload)
        }
        return .frames
    }
}
