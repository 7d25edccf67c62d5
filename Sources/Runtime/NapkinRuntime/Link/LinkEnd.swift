// LinkEnd: the reason why a link has ended.

package import NapkinProtocol
package import NapkinTransport

/// How a link ended. Reported once.
package enum LinkEnd: Error, Sendable, CustomStringConvertible {
    /// We closed it.
    case closed
    /// The peer closed it, or its process died.
    case peerClosed
    /// The peer refused us, or shut down in an orderly way, and gave the reason.
    case refused(Refusal)
    /// The peer broke the protocol; we closed the connection.
    case violated(String)
    /// The peer did not finish its part of the handshake in time; we closed the connection.
    case silent
    /// The socket failed.
    case failed(TransportError)

    /// - Parameter failure: the transport's failure, if that ended the connection.
    init(_ end: ConnectionEnd, _ failure: TransportError?) {
        switch (end, failure) {
        case (.closed, _): self = .closed
        case (.peerClosed, _), (.failed, nil): self = .peerClosed
        case (.failed, let failure?): self = .failed(failure)
        case (.refused(let refusal), _): self = .refused(refusal)
        case (.violated(let what), _): self = .violated(what)
        case (.silent, _): self = .silent
        }
    }

    /// Whether the peer gave no reason for the end, so that its process may have died.
    package var isSilent: Bool {
        switch self {
        case .peerClosed, .silent, .failed: true
        case .closed, .refused, .violated: false
        }
    }

    package var description: String {
        switch self {
        case .closed: "closed"
        case .peerClosed: "the other side closed the connection"
        case .refused(let refusal): refusal.message
        case .violated(let what): "the other side broke the protocol: \(what)"
        case .silent: "no handshake within \(Limits.handshakeSeconds) s"
        case .failed(let error): "\(error)"
        }
    }
}
