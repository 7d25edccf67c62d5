// HandshakeFuzz: both roles of the handshake, fed with any frames.
//
// Spec       Protocol/SPEC.md, section 4 (Connection set-up)

import NapkinCoding
import NapkinProtocol

enum HandshakeFuzz {
    /// The first byte chooses the role, the rest is the stream from the other side.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let isInitiator = first & 1 == 0
        let hello = Hello(role: .front, client: "fuzz", ticket: nil)
        var machine = ConnectionStateMachine(
            role: isInitiator
                ? .initiator(hello, towards: .napkind)
                : .acceptor(.napkind, server: "fuzz", pid: 1))
        let greeting = machine.connected()
        precondition((greeting != nil) == isInitiator, "the initiator speaks first, and only it")
        let stream = FuzzStream([bytes.dropFirst()], limit: Limits.handshakeFrameBytesMax)
        for frame in stream.frames where !machine.isEstablished {
            let action = frame.payload.withUnsafeBytes {
                machine.frameReceived(frame.header, $0)
            }
            switch action {
            case .decideAdmission:
                guard case .welcome = machine.admissionDecided(nil) else {
                    preconditionFailure("an admitted peer is not welcome")
                }
                precondition(machine.isEstablished, "a handshake that is done is not")
            case .established:
                precondition(machine.isEstablished, "a handshake that is done is not")
            case .end:
                precondition(!machine.isEstablished, "a refused handshake is done")
                return
            case .deliver, .ignore, .answerPing:
                preconditionFailure("a frame has passed before the handshake was done")
            }
        }
    }
}
