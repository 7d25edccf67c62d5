// SilentExpansionTests: what `@Crossing` makes of a presentable without methods, word for word.

import Testing

private let silentSource = #"""
    @Crossing
    package protocol Silent: Presentable {}
    """#

private let silentExpansion = #"""

    package protocol Silent: Presentable {}

    /// A method of `Silent` and its arguments, as a value.
    nonisolated package enum SilentMessage: NapkinCore.CrossingMessage {
        package var method: NapkinCore.MethodID {
            switch self {
            }
        }

        package func encode(
            into writer: inout NapkinCoding.CBORWriter
        ) throws(NapkinCoding.CBORError) {
            switch self {
            }
        }

        package init(
            method: NapkinCore.MethodID, payload: Swift.UnsafeRawBufferPointer
        ) throws(NapkinCoding.CBORError) {
            switch method.rawValue {
            default:
                throw NapkinCoding.CBORError(
                    .unknownCase, at: 0, "no such method of Silent")
            }
        }
    }

    /// Conforms to `Silent` and sends every call.
    @MainActor package final class SilentSender: Silent {
        private let _port: any NapkinCore.PresentPort

        package init(to port: any NapkinCore.PresentPort) {
            self._port = port
        }
    }

    /// Decodes messages and calls a `Silent`.
    @MainActor package final class SilentReceiver: NapkinCore.CrossingReceiver {
        private let target: any Silent

        package init(for target: any Silent) {
            self.target = target
        }
    }

    /// What `@Crossing` generated about `Silent`.
    nonisolated package enum SilentCrossing: NapkinCore.PresentableCrossing {
        package typealias Target = any Silent
        package typealias Message = SilentMessage

        package static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> NapkinCore.CrossingSchema {
            NapkinCore.CrossingSchema(name: "Silent", methods: [])
        }

        @MainActor package static func sender(
            to port: any NapkinCore.PresentPort
        ) -> any Silent {
            SilentSender(to: port)
        }

        @MainActor package static func receiver(
            for target: any Silent
        ) -> NapkinCore.CrossingReceiver {
            SilentReceiver(for: target)
        }
    }
    """#

@Suite("@Crossing on a presentable without methods")
struct SilentExpansionTests {
    @Test func `a presentable without methods`() {
        expectExpansion(of: silentSource, silentExpansion)
    }
}
