// Floor: the fastest round trip that two processes can have here: epoll, read, write, in C.
//
// Layer      benchmark. No napkin code on this path.
// Isolation  value; blocks its thread.

import CFloor
import Glibc

/// A raw ping-pong between this process and a child, over a socket pair, with frames of the size
/// of the measured event and its reply.
struct Floor {
    /// Bytes of an event's frame: 28 of header, 85 of payload.
    static let requestBytes = 113
    /// Bytes of its reply's frame: 28 of header, 16 of payload.
    static let replyBytes = 44

    private var floor = napkin_floor()

    /// Takes over a connected socket.
    init(socket: Int32) throws {
        let error = napkin_floor_open(&floor, socket)
        guard error == 0 else { throw BenchError("epoll: \(String(cString: strerror(error)))") }
    }

    /// The child's part: answers until the socket ends.
    mutating func serve() {
        napkin_floor_serve(&floor, Self.requestBytes, Self.replyBytes)
    }

    /// One round trip; false when the child has gone.
    mutating func roundTrip() -> Bool {
        napkin_floor_round_trip(&floor, Self.requestBytes, Self.replyBytes) == 1
    }

    mutating func end() {
        napkin_floor_close(&floor)
    }
}

/// What a worker's fan-out is compared with: a bare `write` to each of many sockets.
enum WriteFloor {
    /// Returns the nanoseconds of one write, of `bytes` bytes each to `count` sockets in turn. What
    /// is written is read between the rounds, which is not counted.
    static func nanoseconds(sockets count: Int, bytes: Int, rounds: Int) throws -> Double {
        var pairs: [(writer: Int32, reader: Int32)] = []
        defer { for pair in pairs { for end in [pair.writer, pair.reader] { close(end) } } }
        for _ in 0..<count {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
                throw BenchError("socketpair: \(String(cString: strerror(errno)))")
            }
            pairs.append((ends[0], ends[1]))
        }
        var buffer = [UInt8](repeating: 0, count: bytes)
        var elapsed: UInt64 = 0
        for _ in 0..<rounds {
            let start = Placement.now()
            for pair in pairs where write(pair.writer, buffer, bytes) != bytes {
                throw BenchError("write: \(String(cString: strerror(errno)))")
            }
            elapsed += Placement.now() - start
            for pair in pairs { _ = read(pair.reader, &buffer, bytes) }
        }
        return Double(elapsed) / Double(count * rounds)
    }
}
