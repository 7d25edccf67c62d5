// HandshakeTests: the handshake as conversation tables, both roles.

import NapkinProtocol
import Testing

struct HandshakeTests {
    static let acceptor = HandshakeStateMachine.Role.acceptor(server: "napkind 1", pid: 7)

    private func hello(_ oldest: ProtocolVersion, _ newest: ProtocolVersion) -> Hello {
        Hello(oldest: oldest, newest: newest, role: .front, client: "client 1")
    }

    @Test func `two machines back to back agree`() {
        let offer = Hello(role: .front, client: "client", ticket: "t")
        var initiator = HandshakeStateMachine(role: .initiator(offer))
        var server = HandshakeStateMachine(role: Self.acceptor)
        #expect(server.connected() == nil)
        #expect(initiator.connected() == .sendHello(offer))
        let welcome = Welcome(version: .current, server: "napkind 1", pid: 7)
        #expect(server.helloReceived(offer) == .sendWelcome(welcome, to: offer))
        #expect(initiator.welcomeReceived(welcome) == .established(welcome))
        #expect(initiator.isEstablished && server.isEstablished)
    }

    @Test func `the newest common version is chosen`() {
        let supported = ProtocolVersion(1, 2)...ProtocolVersion(1, 4)
        let table: [(ProtocolVersion, ProtocolVersion, ProtocolVersion?)] = [
            (.init(1, 0), .init(1, 1), nil),
            (.init(1, 0), .init(1, 2), .init(1, 2)),
            (.init(1, 3), .init(1, 9), .init(1, 4)),
            (.init(1, 4), .init(1, 4), .init(1, 4)),
            (.init(1, 5), .init(1, 9), nil),
            (.init(2, 0), .init(2, 3), nil),
            (.init(1, 4), .init(1, 3), nil),
        ]
        for (oldest, newest, expected) in table {
            var machine = HandshakeStateMachine(role: Self.acceptor, supported: supported)
            _ = machine.connected()
            switch machine.helloReceived(hello(oldest, newest)) {
            case .sendWelcome(let welcome, _): #expect(welcome.version == expected)
            case .refuse(let refusal):
                #expect(expected == nil)
                #expect(refusal.code == .version)
            default: Issue.record("unexpected action for \(oldest)…\(newest)")
            }
        }
    }

    @Test func `a mismatch names both sides and says which to update`() {
        let supported = ProtocolVersion(2, 0)...ProtocolVersion(2, 1)
        var machine = HandshakeStateMachine(role: Self.acceptor, supported: supported)
        _ = machine.connected()
        let action = machine.helloReceived(hello(.init(1, 0), .init(1, 3)))
        let text =
            "napkind 1 speaks protocol 2.0 to 2.1, client 1 speaks 1.0 to 1.3: update client 1"
        #expect(action == .refuse(Refusal(.version, text)))
        #expect(!machine.isEstablished)
    }

    @Test func `what comes at the wrong time is a violation`() {
        var machine = HandshakeStateMachine(role: Self.acceptor)
        _ = machine.connected()
        let welcome = Welcome(version: .current, server: "x", pid: 1)
        guard case .refuse(let first) = machine.welcomeReceived(welcome) else {
            Issue.record("a welcome to an acceptor was accepted")
            return
        }
        #expect(first.code == .protocolViolation)
        guard case .refuse(let second) = machine.helloReceived(hello(.current, .current)) else {
            Issue.record("a hello after a violation was accepted")
            return
        }
        #expect(second.code == .protocolViolation)
    }

    @Test func `a version that was not offered is a violation`() {
        var machine = HandshakeStateMachine(role: .initiator(hello(.init(1, 0), .init(1, 1))))
        _ = machine.connected()
        let welcome = Welcome(version: .init(1, 2), server: "x", pid: 1)
        guard case .refuse = machine.welcomeReceived(welcome) else {
            Issue.record("version 1.2 was accepted")
            return
        }
    }

    @Test(arguments: [-1, 0, 1]) func `a client's name is limited exactly`(offset: Int) {
        let name = String(repeating: "n", count: Limits.nameBytesMax + offset)
        var machine = HandshakeStateMachine(role: Self.acceptor)
        _ = machine.connected()
        let action = machine.helloReceived(Hello(role: .tool, client: name))
        if case .sendWelcome = action { #expect(offset <= 0) } else { #expect(offset > 0) }
    }
}
