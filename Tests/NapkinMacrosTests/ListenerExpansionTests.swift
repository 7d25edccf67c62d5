// ListenerExpansionTests: what `@Crossing` makes of a listener, word for word.

import Testing

private let listenerSource = #"""
    @Crossing
    package protocol PitListener: PresentableListener {
        func didTapBack() async
        func save(_ writer: Item, for `in`: Int) async throws
        func version() async throws -> String
    }
    """#

private let listenerExpansion = #"""

    package protocol PitListener: PresentableListener {
        func didTapBack() async
        func save(_ writer: Item, for `in`: Int) async throws
        func version() async throws -> String
    }

    /// Conforms to `PitListener` and sends every call.
    @MainActor package final class PitListenerSender: PitListener {
        private static func crosses0<
            T: Swift.Codable & Swift.Sendable
        >(_: T.Type) {
        }
        @available(
            *, unavailable, message: "add '@Message' to 'Item', which save(_:for:) sends"
        )
        private static func crosses0<T>(_: T.Type) {
        }
        private static func checkTypes() {
            crosses0(Item.self)
        }

        private let _port: any NapkinCore.EventPort

        package init(to port: any NapkinCore.EventPort) {
            self._port = port
        }

        @MainActor package func didTapBack() async {
            do {
                let event = try self._port.begin(NapkinCore.MethodID(rawValue: 0xEBA0_E013)) {
                    _ in
                }
                if event.isPending {
                    await event.gate.pass()
                    if event.isPending {
                        await event.keepWaiting()
                    }
                }
                try event.end()
            } catch {
                self._port.failed(NapkinCore.MethodID(rawValue: 0xEBA0_E013), \#
    NapkinCore.RemoteFault(reporting: error))
            }
        }

        @MainActor package func save(_ writer: Item, for `in`: Int) async throws {
            let event = try self._port.begin(NapkinCore.MethodID(rawValue: 0x612D_4BA5)) {
                _writer throws(NapkinCoding.CBORError) in
                _writer.writeArrayHeader(2)
                try _writer.write(writer)
                try _writer.write(`in`)
            }
            if event.isPending {
                await event.gate.pass()
                if event.isPending {
                    await event.keepWaiting()
                }
            }
            try event.end()
        }

        @MainActor package func version() async throws -> String {
            let event = try self._port.begin(NapkinCore.MethodID(rawValue: 0xA065_71CC)) {
                _ in
            }
            if event.isPending {
                await event.gate.pass()
                if event.isPending {
                    await event.keepWaiting()
                }
            }
            return try event.result(String.self)
        }
    }

    /// Decodes messages and calls a `PitListener`.
    @MainActor package final class PitListenerReceiver: NapkinCore.CrossingReceiver {
        private let target: any PitListener

        package init(for target: any PitListener) {
            self.target = target
        }

        package override func handle(
            _ message: consuming NapkinCore.ReceivedMessage,
            _ runner: NapkinCore.HandlerRunner?
        ) async {
            repeat {
                do throws(NapkinCoding.CBORError) {
                    var reader = NapkinCoding.CBORReader(message.payload)
                    switch message.method.rawValue {
                    case 0xEBA0_E013:
                        try reader.expectEnd()
                        await target.didTapBack()
                        message.call.succeed()
                    case 0x612D_4BA5:
                        guard try reader.readArrayHeader() == 2 else {
                            throw NapkinCoding.CBORError(
                                .typeMismatch, at: 0, "save(_:for:) takes 2 arguments")
                        }
                        let a0 = try reader.read(Item.self)
                        let a1 = try reader.read(Int.self)
                        try reader.expectEnd()
                        do {
                            try await target.save(a0, for: a1)
                            message.call.succeed()
                        } catch {
                            message.call.fail(error)
                        }
                    case 0xA065_71CC:
                        try reader.expectEnd()
                        do {
                            let result = try await target.version()
                            message.call.succeed {
                                writer throws(NapkinCoding.CBORError) in
                                try writer.write(result)
                            }
                        } catch {
                            message.call.fail(error)
                        }
                    default:
                        throw NapkinCoding.CBORError(
                            .unknownCase, at: 0, "no such method of PitListener")
                    }
                } catch {
                    let number = Swift.String(message.method.rawValue, radix: 16)
                    message.call.fail(
                        NapkinCore.RemoteFault(
                            .unimplemented, "PitListener, method 0x\(number): \(error)"))
                }
            } while message.advance(in: runner)
        }
    }

    /// What `@Crossing` generated about `PitListener`.
    nonisolated package enum PitListenerCrossing: NapkinCore.ListenerCrossing {
        package typealias Target = any PitListener

        package static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> NapkinCore.CrossingSchema {
            var schema = NapkinCore.CrossingSchema(
                name: "PitListener", methods: [])
            schema.add("didTapBack()", .event)
            schema.add("save(_:for:)", .event)
            schema.takes("_", "writer", types.name(of: Item.self))
            schema.takes("for", "in", types.name(of: Int.self))
            schema.throws()
            schema.add("version()", .event)
            schema.returns(types.name(of: String.self))
            schema.throws()
            return schema
        }

        @MainActor package static func sender(
            to port: any NapkinCore.EventPort
        ) -> any PitListener {
            PitListenerSender(to: port)
        }

        @MainActor package static func receiver(
            for target: any PitListener
        ) -> NapkinCore.CrossingReceiver {
            PitListenerReceiver(for: target)
        }
    }
    """#

@Suite("@Crossing on a listener")
struct ListenerExpansionTests {
    @Test func `events of each kind`() {
        expectExpansion(of: listenerSource, listenerExpansion)
    }

    @Test func `an event that names the type of its errors`() {
        let (findings, expanded) = refusals(
            of: """
                @Crossing
                public protocol CartListener: PresentableListener {
                    func apply(coupon: String) async throws(CartError)
                }
                """)
        #expect(findings.isEmpty)
        for line in [
            "add '@Message' and 'CrossingError' to 'CartError', which apply(coupon:) throws",
            "schema.throws(types.name(of: CartError.self))",
            "@MainActor public func apply(coupon: String) async throws(CartError) {",
            "throw CartError.received(error)",
            "do throws(CartError) {",
            "call.fail(NapkinCore.RemoteFault(carrying: error))",
        ] {
            #expect(expanded.contains(line), "\(line)")
        }
    }
}
