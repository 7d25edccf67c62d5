// PortRelay: a way to a port that cuts each connection after some bytes.

import Foundation
import ProofSupport
import Synchronization

/// Carries connections to a port of 127.0.0.1, and ends them in the middle of what is sent.
final class PortRelay: Sendable {
    let port: Int
    private let target: Int
    private let listening: Int32
    private let isCutting = Mutex(false)
    /// Connections that have been cut.
    let cuts = Watched(0)

    init(to target: Int) throws {
        self.target = target
        let closing = Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | closing, 0)
        listening = descriptor
        let bound = PageDoor.withLoopback(0) { bind(descriptor, $0, $1) }
        try Failure.unless(bound == 0 && listen(descriptor, 64) == 0, "listen: errno \(errno)")
        port = try PageDoor.port(of: descriptor)
        Thread.detachNewThread {
            while let peer = RawPeer.accept(from: descriptor) { self.join(peer) }
        }
    }

    /// Begins or ends to cut. What is there already, and has begun to be counted, is cut as well.
    func cut(_ cuts: Bool) { isCutting.withLock { $0 = cuts } }

    private func join(_ peer: Int32) {
        // Without the server, the peer's connection ends.
        guard let server = try? PageDoor.connect(to: target) else {
            close(peer)
            return
        }
        // A page's handshake has some 700 bytes, an event 40 to 80.
        let allowed = Int.random(in: 400...2400)
        let way = Way(peer: peer, server: server)
        Thread.detachNewThread { self.carry(from: way.peer, to: way.server, at: allowed, of: way) }
        Thread.detachNewThread { self.carry(from: way.server, to: way.peer, at: .max, of: way) }
    }

    /// - Parameter way: keeps both ends open until both directions have ended.
    private func carry(from source: Int32, to target: Int32, at allowed: Int, of way: Way) {
        var buffer = [UInt8](repeating: 0, count: 65536)
        var carried = 0
        while true {
            let count = recv(source, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            let isCut = carried + count > allowed && isCutting.withLock { $0 }
            RawPeer.send(buffer[..<(isCut ? max(0, allowed - carried) : count)], to: target)
            carried += count
            guard isCut else { continue }
            cuts.change { $0 += 1 }
            break
        }
        withExtendedLifetime(way) {
            shutdown(source, Int32(SHUT_RDWR))
            shutdown(target, Int32(SHUT_RDWR))
        }
    }

    deinit { shutdown(listening, Int32(SHUT_RDWR)) }
}

/// Both ends of a connection, which are closed when nobody carries anything between them.
private final class Way: Sendable {
    let peer: Int32
    let server: Int32

    init(peer: Int32, server: Int32) { (self.peer, self.server) = (peer, server) }

    deinit {
        close(peer)
        close(server)
    }
}
