// PresentableExpansionTests: what `@Crossing` makes of a presentable, word for word.

import Testing

private let presentableSource = #"""
    @Crossing
    public protocol Pit: Presentable {
        func present(sections: [Section]) async
        func present(_ count: Int, of total: Int?) async
        @Effect func flash() async
        func confirm(_ question: String) async throws -> Bool
    }
    """#

private let presentableExpansion = #"""

    public protocol Pit: Presentable {
        func present(sections: [Section]) async
        func present(_ count: Int, of total: Int?) async
        func flash() async
        func confirm(_ question: String) async throws -> Bool
    }

    /// A method of `Pit` and its arguments, as a value.
    nonisolated public enum PitMessage: NapkinCore.CrossingMessage {
        case presentSections(sections: [Section])
        case presentOf(Int, of: Int?)
        case flash
        case confirm(String)

        private static func crosses0<
            T: Swift.Codable & Swift.Sendable
        >(_: T.Type) {
        }
        @available(
            *, unavailable, message: "add '@Message' to 'Section', which present(sections:) sends"
        )
        private static func crosses0<T>(_: T.Type) {
        }
        private static func checkTypes() {
            crosses0([Section].self)
        }

        public var method: NapkinCore.MethodID {
            switch self {
            case .presentSections:
                NapkinCore.MethodID(rawValue: 0xEFC9_D6ED)
            case .presentOf:
                NapkinCore.MethodID(rawValue: 0x0326_1001)
            case .flash:
                NapkinCore.MethodID(rawValue: 0x5948_ACCE)
            case .confirm:
                NapkinCore.MethodID(rawValue: 0x28E1_08AF)
            }
        }

        public func encode(
            into writer: inout NapkinCoding.CBORWriter
        ) throws(NapkinCoding.CBORError) {
            switch self {
            case .presentSections(let a0):
                try writer.write(a0)
            case .presentOf(let a0, let a1):
                writer.writeArrayHeader(2)
                try writer.write(a0)
                try writer.write(a1)
            case .flash:
                break
            case .confirm(let a0):
                try writer.write(a0)
            }
        }

        public init(
            method: NapkinCore.MethodID, payload: Swift.UnsafeRawBufferPointer
        ) throws(NapkinCoding.CBORError) {
            var reader = NapkinCoding.CBORReader(payload)
            switch method.rawValue {
            case 0xEFC9_D6ED:
                let a0 = try reader.read([Section].self)
                self = .presentSections(sections: a0)
            case 0x0326_1001:
                guard try reader.readArrayHeader() == 2 else {
                    throw NapkinCoding.CBORError(
                        .typeMismatch, at: 0, "present(_:of:) takes 2 arguments")
                }
                let a0 = try reader.read(Int.self)
                let a1 = try reader.read(Int?.self)
                self = .presentOf(a0, of: a1)
            case 0x5948_ACCE:
                self = .flash
            case 0x28E1_08AF:
                let a0 = try reader.read(String.self)
                self = .confirm(a0)
            default:
                throw NapkinCoding.CBORError(
                    .unknownCase, at: 0, "no such method of Pit")
            }
            try reader.expectEnd()
        }
    }

    /// Conforms to `Pit` and sends every call.
    @MainActor public final class PitSender: Pit {
        private let _port: any NapkinCore.PresentPort

        public init(to port: any NapkinCore.PresentPort) {
            self._port = port
        }

        @MainActor public func present(sections: [Section]) async {
            self._port.state(PitMessage.presentSections(sections: sections))
        }

        @MainActor public func present(_ count: Int, of total: Int?) async {
            self._port.state(PitMessage.presentOf(count, of: total))
        }

        @MainActor public func flash() async {
            self._port.effect(PitMessage.flash)
        }

        @MainActor public func confirm(_ question: String) async throws -> Bool {
            return try await self._port.ask(PitMessage.confirm(question)).decode(Bool.self)
        }
    }

    /// Decodes messages and calls a `Pit`.
    @MainActor public final class PitReceiver: NapkinCore.CrossingReceiver {
        private let target: any Pit

        public init(for target: any Pit) {
            self.target = target
        }

        public override func handle(
            _ message: consuming NapkinCore.ReceivedMessage,
            _ runner: NapkinCore.HandlerRunner?
        ) async {
            repeat {
                do throws(NapkinCoding.CBORError) {
                    var reader = NapkinCoding.CBORReader(message.payload)
                    switch message.method.rawValue {
                    case 0xEFC9_D6ED:
                        let a0 = try reader.read([Section].self)
                        try reader.expectEnd()
                        await target.present(sections: a0)
                        message.call.succeed()
                    case 0x0326_1001:
                        guard try reader.readArrayHeader() == 2 else {
                            throw NapkinCoding.CBORError(
                                .typeMismatch, at: 0, "present(_:of:) takes 2 arguments")
                        }
                        let a0 = try reader.read(Int.self)
                        let a1 = try reader.read(Int?.self)
                        try reader.expectEnd()
                        await target.present(a0, of: a1)
                        message.call.succeed()
                    case 0x5948_ACCE:
                        try reader.expectEnd()
                        await target.flash()
                        message.call.succeed()
                    case 0x28E1_08AF:
                        let a0 = try reader.read(String.self)
                        try reader.expectEnd()
                        do {
                            let result = try await target.confirm(a0)
                            message.call.succeed {
                                writer throws(NapkinCoding.CBORError) in
                                try writer.write(result)
                            }
                        } catch {
                            message.call.fail(error)
                        }
                    default:
                        throw NapkinCoding.CBORError(
                            .unknownCase, at: 0, "no such method of Pit")
                    }
                } catch {
                    let number = Swift.String(message.method.rawValue, radix: 16)
                    message.call.fail(
                        NapkinCore.RemoteFault(
                            .unimplemented, "Pit, method 0x\(number): \(error)"))
                }
            } while message.advance(in: runner)
        }
    }

    /// What `@Crossing` generated about `Pit`.
    nonisolated public enum PitCrossing: NapkinCore.PresentableCrossing {
        public typealias Target = any Pit
        public typealias Message = PitMessage

        public static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> NapkinCore.CrossingSchema {
            var schema = NapkinCore.CrossingSchema(
                name: "Pit", methods: [])
            schema.add("present(sections:)", .state)
            schema.takes("sections", "sections", types.name(of: [Section].self))
            schema.add("present(_:of:)", .state)
            schema.takes("_", "count", types.name(of: Int.self))
            schema.takes("of", "total", types.name(of: Int?.self))
            schema.add("flash()", .effect)
            schema.add("confirm(_:)", .ask)
            schema.takes("_", "question", types.name(of: String.self))
            schema.returns(types.name(of: Bool.self))
            schema.throws()
            return schema
        }

        @MainActor public static func sender(
            to port: any NapkinCore.PresentPort
        ) -> any Pit {
            PitSender(to: port)
        }

        @MainActor public static func receiver(
            for target: any Pit
        ) -> NapkinCore.CrossingReceiver {
            PitReceiver(for: target)
        }
    }
    """#

@Suite("@Crossing on a presentable")
struct PresentableExpansionTests {
    @Test func `a provisional state is sent as one`() {
        let source = """
            @Crossing
            public protocol Bar: Presentable {
                @Provisional func present(progress: Double) async
            }
            """
        let (findings, expanded) = refusals(of: source)
        #expect(findings.isEmpty)
        let call = "self._port.provisional(BarMessage.presentProgress(progress: progress))"
        #expect(expanded.contains(call))
        #expect(expanded.contains(#"schema.add("present(progress:)", .state)"#))
    }

    @Test func `states, effects and asks`() {
        expectExpansion(of: presentableSource, presentableExpansion)
    }
}
