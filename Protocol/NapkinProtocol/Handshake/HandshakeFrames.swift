// HandshakeFrames: what a frame is to the handshake.
//
// Layer      sans-I/O core. Bytes from a peer can never trap here.
// Isolation  value; part of HandshakeStateMachine.
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinCoding

extension HandshakeStateMachine {
    /// A frame arrived before the handshake was done; its payload is borrowed for the call.
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
