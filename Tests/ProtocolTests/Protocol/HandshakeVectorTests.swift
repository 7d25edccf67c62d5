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

    private func machine(of vector: Vector) throws -> ConnectionStateMachine {
        let range = try #require(vector["supported"]?.array)
        let (oldest, newest) = (try version(range[0]), try version(range[1]))
        guard let hello = vector["hello"]?.object else {
            #expect(vector["role"] == .text("acceptor"))
            return ConnectionStateMachine(
                role: .acceptor(.napkind, server: "s", pid: 1), supported: oldest...newest)
        }
        #expect(vector["role"] == .text("initiator"))
        let role = try #require(hello["role"]?.text.flatMap(PeerRole.init))
        let offer = Hello(
            oldest: oldest, newest: newest, role: role,
            client: try #require(hello["client"]?.text), ticket: hello["ticket"]?.text)
        return ConnectionStateMachine(
            role: .initiator(offer, towards: .napkind), supported: oldest...newest)
    }

    private func json(_ hello: Hello) -> [JSONValue] {
        var sent: [String: JSONValue] = [
            "send": .text("hello"), "role": .text(hello.role.rawValue),
            "oldest": json(hello.oldest), "newest": json(hello.newest),
        ]
        if let ticket = hello.ticket { sent["ticket"] = .text(ticket) }
        return [.object(sent)]
    }

    /// What a frame leads to, in the words of the vectors; the version or the refusal that ends the
    /// handshake.
    private func receive(
        _ bytes: [UInt8], _ machine: inout ConnectionStateMachine
    ) throws -> (words: [JSONValue], end: Result<ProtocolVersion, Refusal>?) {
        let action = try bytes.withUnsafeBytes { bytes in
            var decoder = FrameDecoder()
            var rest = bytes
            let next = try decoder.next(&rest)
            let frame = try #require(next)
            return machine.frameReceived(frame.header, frame.payload)
        }
        switch action {
        case .decideAdmission:
            guard case .welcome(let welcome) = machine.admissionDecided(nil) else { break }
            let version = json(welcome.version)
            return (
                [
                    .object(["send": .text("welcome"), "version": version]),
                    .object(["established": version]),
                ], .success(welcome.version)
            )
        case .established(let welcome):
            return ([.object(["established": json(welcome.version)])], .success(welcome.version))
        case .end(.say(.refused, let refusal)):
            return (
                [
                    .object(["send": .text("refused"), "code": .text(refusal.code.rawValue)]),
                    .object(["close": .bool(true)]),
                ], .failure(refusal)
            )
        case .end(.close(.refused(let refusal))):
            return ([.object(["close": .bool(true)])], .failure(refusal))
        default: break
        }
        return ([], nil)
    }

    @Test(arguments: Vector.all(.handshakes)) func `handshakes`(_ vector: Vector) throws {
        var machine = try machine(of: vector)
        var end: Result<ProtocolVersion, Refusal>?
        for step in try #require(vector["steps"]?.array) {
            let input = try #require(step.object?["in"]?.object)
            var words: [JSONValue]
            if let frame = try input["frame"].map(Vector.bytes) {
                (words, end) = try receive(frame, &machine)
            } else {
                #expect(input == ["connected": .bool(true)])
                words = machine.connected().map(json) ?? []
            }
            #expect(JSONValue.array(words) == step.object?["out"])
        }
        switch try #require(end, "the handshake has not ended") {
        case .success(let version):
            #expect(vector.means == .object(["version": json(version)]))
        case .failure(let refusal): #expect(vector.error == refusal.code.rawValue)
        }
        #expect(machine.isEstablished == (vector.means != nil))
    }
}
