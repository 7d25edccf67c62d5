// Peer: decides who may connect.

import Glibc
package import Logging
import NapkinCoding
package import NapkinProtocol
package import NapkinRuntime
package import NapkinTransport

extension Link {
    /// Returns a refusal for another user's process, whose owner the kernel names.
    package func refusalForStrangers(at server: String) -> Refusal? {
        guard let stranger = PeerCredentials.stranger(peer) else { return nil }
        return Refusal(
            .notPermitted,
            "\(server) belongs to user \(geteuid()); a process of \(stranger) may not connect. "
                + "Start a napkind of your own")
    }
}

/// Logs peers that break the rules: each process once, and only a few in a minute.
@MainActor
package struct PeerWatch {
    private var log = SuspicionLog()

    package init() {}

    /// - Parameter end: how the peer's connection ended; most ends are no violation.
    package mutating func ended(_ peer: PeerCredentials?, _ end: ConnectionEnd, _ logger: Logger) {
        switch end {
        case .violated(let what): suspect(peer, what, logger)
        case .refused(let refusal) where [.notPermitted, .badTicket].contains(refusal.code):
            suspect(peer, "refused: \(refusal.code)", logger)
        case .refused, .closed, .peerClosed, .silent, .failed: break
        }
    }

    private mutating func suspect(_ peer: PeerCredentials?, _ what: String, _ logger: Logger) {
        let now = Duration.milliseconds(Int64(Loop.shared.now))
        guard log.admits(peer?.processID, at: now) else { return }
        logger.warning(
            "suspicious peer",
            metadata: [
                "peer.pid": "\(peer?.processID ?? 0)",
                "peer.what": "\(what.shortened(to: Limits.refusalBytesMax))",
                "peer.user": "\(peer.map { "\($0.userID)" } ?? "unknown")",
            ])
    }
}
