// HandshakeVectorTests: the golden vectors of the handshake, both roles.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

struct HandshakeVectorTests {
    private func version(_ value: JSONValue?) throws -> ProtocolVersion {
        let parts = try #require(value?.array).map { try #require($0.unsigned) }
        return ProtocolVersion(UInt16(parts[0]), UInt16(parts[1]))
    }

    private func json(_ version: ProtocolVersion) -> JSONValue {
        .array([.integer(Int64(version.major)), .integer(Int64(version.minor))])
    }

    private func machine(of vector: Vector) throws -> HandshakeStateMachine {
        let range = try #require(vector["supported"]?.array)
        let (oldest, newest) = (try version(range[0]), try version(range[1]))
        guard let hello = vector["hello"]?.object else {
            #expect(vector["role"] == .text("acceptor"))
            return HandshakeStateMachine(
                role: .acceptor(server: "s", pid: 1), supported: oldest...newest)
        }
        #expect(vector["role"] == .text("initiator"))
        let role = try #require(hello["role"]?.text.flatMap(PeerRole.init))
        let offer = Hello(
            oldest: oldest, newest: newest, role: role,
            client: try #require(hello["client"]?.text), ticket: hello["ticket"]?.text)
        return HandshakeStateMachine(role: .initiator(offer), supported: oldest...newest)
    }

    /// What the side does, in the words of the vectors.
    private func json(_ action: HandshakeStateMachine.Action) -> [JSONValue] {
        switch action {
        case .sendHello(let hello):
            var sent: [String: JSONValue] = [
                "send": .text("hello"), "role": .text(hello.role.rawValue),
                "oldest": json(hello.oldest), "newest": json(hello.newest),
            ]
            if let ticket = hello.ticket { sent["ticket"] = .text(ticket) }
            return [.object(sent)]
        case .sendWelcome(let welcome, _):
            return [
                .object(["send": .text("welcome"), "version": json(welcome.version)]),
                .object(["established": json(welcome.version)]),
            ]
        case .refuse(let refusal):
            return [
                .object(["send": .text("refused"), "code": .text(refusal.code.rawValue)]),
                .object(["close": .bool(true)]),
            ]
        case .established(let welcome):
            return [.object(["established": json(welcome.version)])]
        case .refused:
            return [.object(["close": .bool(true)])]
        }
    }

    private func receive(
        _ frame: [UInt8], _ machine: inout HandshakeStateMachine
    ) throws -> HandshakeStateMachine.Action {
        try frame.withUnsafeBytes { bytes in
            var decoder = FrameDecoder()
            var rest = bytes
            let next = try decoder.next(&rest)
            let frame = try #require(next)
            return machine.frameReceived(frame.header, frame.payload)
        }
    }

    @Test(arguments: Vector.all(.handshakes)) func `handshakes`(_ vector: Vector) throws {
        var machine = try machine(of: vector)
        var last: HandshakeStateMachine.Action?
        for step in try #require(vector["steps"]?.array) {
            let input = try #require(step.object?["in"]?.object)
            if let frame = try input["frame"].map(Vector.bytes) {
                last = try receive(frame, &machine)
            } else {
                #expect(input == ["connected": .bool(true)])
                last = machine.connected()
            }
            #expect(.array(last.map(json) ?? []) == step.object?["out"])
        }
        switch last {
        case .sendWelcome(let welcome, _), .established(let welcome):
            #expect(vector.means == .object(["version": json(welcome.version)]))
        case .refuse(let refusal), .refused(let refusal):
            #expect(vector.error == refusal.code.rawValue)
        default:
            Issue.record("the handshake has not ended")
        }
        #expect(machine.isEstablished == (vector.means != nil))
    }
}
