// ContractTests: the schema, the numbers and the message values of generated contracts.

import NapkinCore
import Testing

@Suite("What @Crossing generates describes the protocol") @MainActor
struct ContractTests {
    @Test func `the schema has each method's name, class, parameters and result`() {
        let schema = PitPresentableCrossing.schema
        #expect(schema.name == "PitPresentable")
        #expect(
            schema.methods.map(\.key) == [
                "present(sections:)", "present(specials:)", "present(_:of:)", "clear()",
                "flash(_:)", "ring()", "confirm(_:)", "choose(from:default:)",
            ])
        #expect(
            schema.methods.map(\.delivery) == [
                .state, .state, .state, .state, .effect, .effect, .ask, .ask,
            ])
        #expect(
            schema.methods[1].parameters == [
                ParameterSchema(label: "specials", name: "specials", type: "[String: Int]")
            ])
        #expect(schema.methods[2].parameters[1].type == "Int?")
        #expect(schema.methods.map(\.result).suffix(3) == [nil, "Bool", "Plain?"])
        #expect(schema.methods.map(\.isThrowing).suffix(3) == [false, true, true])
        #expect(SilentPresentableCrossing.schema.methods.isEmpty)
    }

    @Test func `the macro's numbers are the hashes of the keys`() throws {
        let messages: [any CrossingMessage] = [
            PitPresentableMessage.presentSections(sections: []),
            PitPresentableMessage.clear,
            PitPresentableMessage.presentOf(1, of: nil),
            TrapsPresentableMessage.defaultCallTarget(1, call: 2, target: 3),
        ]
        #expect(
            messages.map(\.method)
                == ["present(sections:)", "clear()", "present(_:of:)", "default(_:call:target:)"]
                .map { MethodID(key: $0) })
    }

    @Test func `a message is what its sender sends`() async throws {
        let link = Loopback()
        await PitPresentableSender(to: link).present(1, of: 2)
        let message = PitPresentableMessage.presentOf(1, of: 2)
        #expect(try Payload(encoding: message.encode) == link.sent[0].payload)
        let decoded = try link.sent[0].payload.bytes.withUnsafeBytes {
            try PitPresentableMessage(method: message.method, payload: $0)
        }
        guard case .presentOf(let count, let total) = decoded else {
            Issue.record("decoded \(decoded)")
            return
        }
        #expect(count == 1 && total == 2)
    }

    @Test func `an unknown method throws unknownCase`() {
        let error = #expect(throws: CBORError.self) {
            try PitPresentableMessage(
                method: MethodID(rawValue: 1),
                payload: UnsafeRawBufferPointer(start: nil, count: 0))
        }
        #expect(error?.code == .unknownCase)
    }

    @Test func `a nested protocol has its types next to it`() async {
        let link = Loopback()
        let sender = Nested.PresentableCrossing.sender(to: link)
        await sender.present(Nested.Item(id: 1))
        #expect(Nested.PresentableCrossing.schema.methods[1].key == "present(_:payload:)")
        #expect(link.sent[0].method == MethodID(key: "present(_:)"))
    }
}
