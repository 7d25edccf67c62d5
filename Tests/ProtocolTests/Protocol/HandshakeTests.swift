// HandshakeTests: what the vectors of the handshake leave open: its words, and both roles at once.

import NapkinProtocol
import Testing

struct HandshakeTests {
    private typealias Action = ConnectionStateMachine.FrameAction

    /// A connection of one role that has begun.
    private struct Side {
        var machine: ConnectionStateMachine

        init(
            _ role: ConnectionStateMachine.Role, _ supported: ClosedRange<ProtocolVersion>? = nil
        ) {
            machine = ConnectionStateMachine(
                role: role, supported: supported ?? .oldest ... .current)
            _ = machine.connected()
        }

        static func acceptor(_ supported: ClosedRange<ProtocolVersion>? = nil) -> Side {
            Side(.acceptor(.napkind, server: "napkind 1", pid: 7), supported)
        }

        mutating func receive(_ kind: FrameKind, _ value: some Encodable) -> Action {
            let frame = Transcript.frame(FrameHeader(kind), value: value)
            return frame.withUnsafeBytes {
                let payload = UnsafeRawBufferPointer(rebasing: $0[FrameHeader.byteCount...])
                return machine.frameReceived(FrameHeader(kind), payload)
            }
        }
    }

    private func hello(_ oldest: ProtocolVersion, _ newest: ProtocolVersion) -> Hello {
        Hello(oldest: oldest, newest: newest, role: .front, client: "client 1")
    }

    private func refusal(_ action: Action) -> Refusal? {
        guard case .end(.say(.refused, let refusal)) = action else { return nil }
        return refusal
    }

    @Test func `two machines back to back agree`() {
        let offer = Hello(role: .front, client: "client", ticket: "t")
        var initiator = ConnectionStateMachine(role: .initiator(offer, towards: .napkind))
        #expect(initiator.connected() == offer)
        var (client, server) = (Side(.initiator(offer, towards: .napkind)), Side.acceptor())
        #expect(server.receive(.hello, offer) == .decideAdmission(offer))
        let welcome = Welcome(version: .current, server: "napkind 1", pid: 7)
        #expect(server.machine.admissionDecided(nil) == .welcome(welcome))
        #expect(client.receive(.welcome, welcome) == .established(welcome))
        #expect(client.machine.isEstablished && server.machine.isEstablished)
    }

    @Test func `a mismatch names both sides and says which to update`() {
        let table: [(ClosedRange<ProtocolVersion>, String)] = [
            (
                .init(2, 0) ... .init(2, 1),
                "napkind 1 speaks protocol 2.0 to 2.1, client 1 speaks 1.0 to 1.3: update client 1"
            ),
            (
                .init(0, 1) ... .init(0, 2),
                "napkind 1 speaks protocol 0.1 to 0.2, client 1 speaks 1.0 to 1.3: "
                    + "update and restart napkind 1"
            ),
        ]
        for (supported, text) in table {
            var side = Side.acceptor(supported)
            let action = side.receive(.hello, hello(.init(1, 0), .init(1, 3)))
            #expect(refusal(action) == Refusal(.version, text))
            #expect(!side.machine.isEstablished)
        }
    }
}
