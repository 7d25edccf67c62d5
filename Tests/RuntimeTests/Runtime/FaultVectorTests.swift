// FaultVectorTests: the golden vectors of faults, as a front receives them.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import TestSupport
import Testing

@testable import NapkinRuntime

struct FaultVectorTests {
    private func fault(_ bytes: [UInt8]) throws -> RemoteFault {
        try bytes.withUnsafeBytes { buffer in
            var reader = CBORReader(buffer)
            let fault = try reader.read(Fault.self)
            try reader.expectEnd()
            return RemoteFault(fault)
        }
    }

    @Test(arguments: Vector.all(.faults)) func `faults`(_ vector: Vector) throws {
        #expect(vector["kind"] == .text("fault"))
        let bytes = try vector.bytes
        guard let means = vector.means else {
            let error = #expect(throws: CBORError.self) { try fault(bytes) }
            #expect(error.map { "\($0.code)" } == vector.error)
            return
        }
        let found = try fault(bytes)
        var value: [String: JSONValue] = [
            "code": .text(found.code.rawValue), "message": .text(found.message),
        ]
        if let error = found.error {
            // As JSON has bytes: base64, in quotes.
            let item = try Payload { (writer) throws(CBORError) in try writer.write(error.bytes) }
            let json = String(decoding: try CBORToJSON.transcode(item.bytes), as: UTF8.self)
            value["error"] = .text(String(json.dropFirst().dropLast()))
        }
        value["receipt"] = found.receipt.map {
            Int64(exactly: $0).map(JSONValue.integer) ?? .unsigned($0)
        }
        #expect(means == .object(value))
    }

    @Test func `every code of a fault is in a vector`() {
        let named = Vector.all(.faults).compactMap { $0.means?.object?["code"]?.text }
        #expect(Set(named) == Set(RemoteFault.Code.allCases.map(\.rawValue)))
    }
}
