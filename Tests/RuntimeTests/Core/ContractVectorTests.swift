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
        let schema = try #require(vector["schema"]).decoded(as: FeatureSchema.self)
        let means = try #require(vector.means?.object)
        #expect(means["hash"] == .text(String(schema.hash)))
        #expect(Self.hash(try #require(means["text"]?.text)) == schema.hash)
        try checkText(try #require(means["text"]?.text), schema)
    }

    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// The text is what an app's text says of the feature, which can be read again.
    private func checkText(_ own: String, _ schema: FeatureSchema) throws {
        var feature = schema
        feature.types = nil
        let app = AppSchema(app: "a", features: [feature], types: schema.types ?? [])
        let text = SchemaText.text(of: app)
        let lines = text.split(separator: "\n").dropFirst().map { $0 + "\n" }
        #expect(lines.joined().unicodeScalars.elementsEqual(own.unicodeScalars))
        let again = try SchemaText.schema(from: text)
        #expect(again.feature(schema.feature)?.hash == schema.hash)
    }

    @Test(arguments: Vector.all(.changes)) func `changes`(_ vector: Vector) throws {
        let before = try #require(vector["before"]).decoded(as: FeatureSchema.self)
        let after = try #require(vector["after"]).decoded(as: FeatureSchema.self)
        let changes = ContractComparison.changes(from: before, to: after)
        let broken = Set(changes.flatMap(\.breakages).map(\.front))
        var breaks: [JSONValue] = []
        if broken.contains(.older) { breaks.append(.text("older")) }
        if broken.contains(.newer) { breaks.append(.text("newer")) }
        #expect(vector.means == .object(["breaks": .array(breaks)]))
    }

    @Test(arguments: Vector.all(.schemas)) func `schemas`(_ vector: Vector) throws {
        switch (vector["kind"]?.text, vector["to"]?.text) {
        case ("schema", nil), ("contract", nil): try check([FeatureSchema].self, vector)
        case ("answer", "schema"): try check(AppSchema.self, vector)
        default: Issue.record("\(vector) is of another kind")
        }
    }

    private func check<T: Codable & Sendable>(_ type: T.Type, _ vector: Vector) throws {
        let bytes = try vector.bytes
        guard let means = vector.means else {
            let error = #expect(throws: CBORError.self) { try Payload(bytes).decode(type) }
            #expect(error.map { "\($0.code)" } == vector.error)
            return
        }
        let value = try Payload(bytes).decode(type)
        let again = try Payload { (writer) throws(CBORError) in try writer.write(value) }
        #expect(try JSONValue(parsing: CBORToJSON.transcode(again.bytes)) == means)
    }

    @Test func `every kind of a type is in a schema, a contract and an answer`() throws {
        for kind in ["schema", "contract", "answer"] {
            let vectors = Vector.all(.schemas).filter { $0["kind"] == .text(kind) }
            let named = vectors.compactMap(\.means).flatMap(Self.kindsOfTypes)
            // The last of a later version.
            #expect(Set(named) == ["struct", "enum", "raw", "opaque", "union"], "in a \(kind)")
        }
    }

    /// The kinds in an array of schemas, or in one.
    private static func kindsOfTypes(_ schemas: JSONValue) -> [String] {
        (schemas.array ?? [schemas]).flatMap { $0.object?["types"]?.array ?? [] }
            .compactMap { $0.object?["kind"]?.text }
    }
}
