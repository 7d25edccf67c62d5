// HandshakeStateMachine: the first frames of any connection, for either role.
//
// Invariant  only hello, welcome and refused pass before `established`.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinCoding

/// Agrees on a version, or refuses with a reason.
public struct HandshakeStateMachine: Sendable {
    /// The role of this side of the connection.
    public enum Role: Sendable {
        case initiator(Hello)
        case acceptor(server: String, pid: Int32)
    }

    /// The driver's next action.
    public enum Action: Equatable, Sendable {
        case sendHello(Hello)
        /// The acceptor agrees. If its owner also admits this peer, the connection is established.
        case sendWelcome(Welcome, to: Hello)
        /// Send this, then close.
        case refuse(Refusal)
        /// The initiator's connection is established.
        case established(Welcome)
        /// The peer refused; the connection is closing.
        case refused(Refusal)
    }

    private enum State: Sendable {
        case idle
        case awaitingHello
        case awaitingWelcome(Hello)
        case established
        case failed
    }

    private let role: Role
    private var state = State.idle
    private let supported: ClosedRange<ProtocolVersion>

    public init(
        role: Role, supported: ClosedRange<ProtocolVersion> = .oldest ... .current
    ) {
        self.role = role
        self.supported = supported
    }

    public var isEstablished: Bool {
        if case .established = state { true } else { false }
    }

    /// The connection exists. The initiator sends first.
    public mutating func connected() -> Action? {
        switch role {
        case .initiator(let hello):
            state = .awaitingWelcome(hello)
            return .sendHello(hello)
        case .acceptor:
            state = .awaitingHello
            return nil
        }
    }

    /// A hello has arrived.
    public mutating func helloReceived(_ hello: Hello) -> Action {
        guard case .awaitingHello = state, case .acceptor(let server, let pid) = role else {
            return violation("a hello arrived where none is due")
        }
        if let refusal = hello.refusal {
            state = .failed
            return .refuse(refusal)
        }
        let newest = min(hello.newest, supported.upperBound)
        let oldest = max(hello.oldest, supported.lowerBound)
        guard oldest <= newest, oldest.major == newest.major else {
            state = .failed
            return .refuse(Refusal(.version, Self.mismatch(hello, supported, server)))
        }
        state = .established
        return .sendWelcome(Welcome(version: newest, server: server, pid: pid), to: hello)
    }

    /// A welcome has arrived.
    public mutating func welcomeReceived(_ welcome: Welcome) -> Action {
        guard case .awaitingWelcome(let hello) = state else {
            return violation("a welcome arrived where none is due")
        }
        guard (hello.oldest...hello.newest).contains(welcome.version) else {
            return violation("the server chose version \(welcome.version), which was not offered")
        }
        state = .established
        return .established(welcome)
    }

    /// A refusal has arrived.
    public mutating func refusalReceived(_ refusal: Refusal) -> Action {
        state = .failed
        return .refused(refusal)
    }

    /// An unreadable frame, or one of another kind, has arrived before the handshake was done.
    public mutating func unexpectedFrameReceived(_ what: String) -> Action {
        violation("\(what) arrived before the handshake was done")
    }

    private mutating func violation(_ message: String) -> Action {
        state = .failed
        return .refuse(Refusal(.protocolViolation, message))
    }

    private static func mismatch(
        _ hello: Hello, _ supported: ClosedRange<ProtocolVersion>, _ server: String
    ) -> String {
        let ours =
            "\(server) speaks protocol \(supported.lowerBound) to \(supported.upperBound)"
        let theirs = "\(hello.client) speaks \(hello.oldest) to \(hello.newest)"
        let advice =
            hello.newest < supported.lowerBound
            ? "update \(hello.client)" : "update and restart \(server)"
        return "\(ours), \(theirs): \(advice)"
    }
}

extension HandshakeStateMachine {
    /// A frame has arrived before the handshake was done; its payload is borrowed for the call.
    public mutating func frameReceived(
        _ header: FrameHeader, _ payload: UnsafeRawBufferPointer
    ) -> Action {
        switch header.kind {
        case .hello:
            guard let hello = payload.decoded(Hello.self) else { break }
            return helloReceived(hello)
        case .welcome:
            guard let welcome = payload.decoded(Welcome.self) else { break }
            return welcomeReceived(welcome)
        case .refused:
            guard let refusal = payload.decoded(Refusal.self) else { break }
            return refusalReceived(refusal)
        default:
            return unexpectedFrameReceived("a frame of the kind \(header.kind)")
        }
        return unexpectedFrameReceived("an unreadable \(header.kind) frame")
    }
}
