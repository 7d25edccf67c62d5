// ItemVectorTests: the golden vectors of CBOR items.

import TestSupport
import Testing

@testable import NapkinCoding

struct ItemVectorTests {
    @Test(arguments: Vector.all(.items)) func `items`(_ vector: Vector) throws {
        let bytes = try vector.bytes
        if let error = vector.error {
            #expect(code { _ = try AnyItem.read(bytes) }.map { "\($0)" } == error)
            // What is stepped over is not checked for UTF-8.
            if error != "invalidUTF8" { #expect(skipError(bytes) == error) }
            if error != "trailingBytes", !bytes.isEmpty {
                #expect(CBORDiagnostic.describe(bytes).contains(": \(error), "))
            }
            return
        }
        let means = try #require(vector.means?.object)
        let item = try AnyItem.read(bytes)
        #expect(skipError(bytes) == nil)
        #expect(.text(CBORDiagnostic.describe(bytes)) == means["diagnostic"])
        #expect(item.data == means["data"])
        #expect(.bool(item.written == bytes) == means["written"])
    }

    private func skipError(_ bytes: [UInt8]) -> String? {
        code {
            try reading(bytes) { reader in
                try reader.skip()
                try reader.expectEnd()
            }
        }.map { "\($0)" }
    }
}
