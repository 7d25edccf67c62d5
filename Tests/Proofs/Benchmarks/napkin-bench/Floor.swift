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

/// What a worker's fan-out is compared with: a bare `write` to each of many sockets, for which
/// another process waits with epoll, as fronts do.
enum WriteFloor {
    static let socketsMax = Int(NAPKIN_FANOUT_MAX)

    static func measure(sockets: Int, bytes: Int, rounds: Int) throws -> napkin_fanout {
        var fanout = napkin_fanout()
        let error = napkin_floor_fan_out(
            Int32(min(sockets, socketsMax)), bytes, Int32(rounds), &fanout)
        guard error == 0 else { throw BenchError("fan-out: \(String(cString: strerror(error)))") }
        return fanout
    }
}
