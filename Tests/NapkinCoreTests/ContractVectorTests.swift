// ContractVectorTests: the golden vectors of methods' numbers, contracts' hashes, and schemas.

import NapkinCoding
import NapkinCore
import TestSupport
import Testing

struct ContractVectorTests {
    @Test(arguments: Vector.all(.methods)) func `methods`(_ vector: Vector) throws {
        let number = MethodID(key: try #require(vector["key"]?.text)).rawValue
        #expect(vector.means == .object(["number": .integer(Int64(number))]))
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        #expect(try vector.bytes == bytes)
    }

    @Test(arguments: Vector.all(.contracts)) func `contracts`(_ vector: Vector) throws {
        let schema = try Self.schema(#require(vector["schema"]))
        let means = try #require(vector.means?.object)
        #expect(means["hash"] == .text(String(schema.hash)))
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in try #require(means["text"]?.text).utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3
        }
        #expect(hash == schema.hash)
    }

    @Test(arguments: Vector.all(.schemas)) func `schemas`(_ vector: Vector) throws {
        #expect(vector["kind"] == .text("schema"))
        let bytes = try vector.bytes
        guard let means = vector.means else {
            let error = #expect(throws: CBORError.self) {
                try Payload(bytes).decode([FeatureSchema].self)
            }
            #expect(error.map { "\($0.code)" } == vector.error)
            return
        }
        let schemas = try Payload(bytes).decode([FeatureSchema].self)
        let again = try Payload { (writer) throws(CBORError) in try writer.write(schemas) }
        #expect(try JSONValue(parsing: CBORToJSON.transcode(again.bytes)) == means)
    }

    /// A schema from the JSON of a vector.
    private static func schema(_ value: JSONValue) throws -> FeatureSchema {
        let fields = try #require(value.object)
        return FeatureSchema(
            feature: try #require(fields["feature"]?.text),
            presents: try #require(fields["presents"]?.array).map(method),
            listens: try #require(fields["listens"]?.array).map(method))
    }

    private static func method(_ value: JSONValue) throws -> MethodSchema {
        let fields = try #require(value.object)
        let delivery = try #require(fields["delivery"]?.text)
        return MethodSchema(
            key: try #require(fields["key"]?.text),
            delivery: try #require(DeliveryClass(rawValue: delivery)),
            parameters: try #require(fields["parameters"]?.array).map { parameter in
                let fields = try #require(parameter.object)
                return ParameterSchema(
                    label: try #require(fields["label"]?.text),
                    name: try #require(fields["name"]?.text),
                    type: try #require(fields["type"]?.text))
            },
            result: fields["result"]?.text, isThrowing: fields["isThrowing"] == .bool(true))
    }
}
