// MessageExpansionTests: what `@Message` writes for a struct, word for word.

import Testing

private let structureSource = #"""
    @Message
    public struct Order {
        public let id: Int64
        public var note: Optional<String>
        public var tags: [String] = [], `default`: Int!
        public let version = 2
        public var isEmpty: Bool { tags.isEmpty }
        enum CodingKeys: String, CodingKey {
            case id = "number"
            case note, tags, `default`, version
        }
    }
    """#

private let structureExpansion = #"""

    public struct Order {
        public let id: Int64
        public var note: Optional<String>
        public var tags: [String] = [], `default`: Int!
        public let version = 2
        public var isEmpty: Bool { tags.isEmpty }
        enum CodingKeys: String, CodingKey {
            case id = "number"
            case note, tags, `default`, version
        }

        /// Creates a value of its fields.
        public nonisolated init(
            id: Int64, note: Optional<String>, tags: [String] = [], `default`: Int? = nil
        ) {
            self.id = id
            self.note = note
            self.tags = tags
            self.`default` = `default`
        }
    }

    nonisolated extension Order: Swift.Codable, Swift.Sendable, NapkinCoding.DirectlyCodable {
        public func encode(
            into writer: inout NapkinCoding.CBORWriter
        ) throws(NapkinCoding.CBORError) {
            writer.writeMapHeader(3 + (self.note == nil ? 0 : 1) + (self.`default` == nil ? 0 : 1))
            writer.writeKey("number")
            try writer.write(self.id)
            if let value = self.note {
                writer.writeKey("note")
                try writer.write(value)
            }
            writer.writeKey("tags")
            try writer.write(self.tags)
            if let value = self.`default` {
                writer.writeKey("default")
                try writer.write(value)
            }
            writer.writeKey("version")
            try writer.write(self.version)
        }

        public init(
            from reader: inout NapkinCoding.CBORReader
        ) throws(NapkinCoding.CBORError) {
            var fields = try reader.beginMap()
            var f0: Int64? = nil
            var f1: Optional<String> = nil
            var f2: [String]? = nil
            var f3: Int? = nil
            inOrder: if fields.mayHave(3) {
                guard reader.matchField("number", 0, &fields) else {
                    break inOrder
                }
                let v0 = try reader.read(Int64.self)
                f0 = v0
                if reader.matchField("note", 1, &fields) {
                    f1 = try reader.read(Optional<String>.self)
                }
                guard reader.matchField("tags", 2, &fields) else {
                    break inOrder
                }
                let v2 = try reader.read([String].self)
                f2 = v2
                if reader.matchField("default", 3, &fields) {
                    f3 = try reader.read(Int?.self)
                }
                guard reader.matchField("version", 4, &fields) else {
                    break inOrder
                }
                try reader.skip()
                guard reader.endMap(fields) else {
                    break inOrder
                }
                self.init(id: v0, note: f1, tags: v2, default: f3)
                return
            }
            var r0 = f0
            var r1 = f1
            var r2 = f2
            var r3 = f3
            try reader.readRest(fields, ["number", "note", "tags", "default", "version"]) {
                index, reader throws(NapkinCoding.CBORError) in
                switch index {
                case 0:
                    r0 = try reader.read(Int64.self)
                case 1:
                    r1 = try reader.read(Optional<String>.self)
                case 2:
                    r2 = try reader.read([String].self)
                case 3:
                    r3 = try reader.read(Int?.self)
                default:
                    try reader.skip()
                }
            }
            guard let v0 = r0 else {
                throw reader.missingField("number", of: "Order")
            }
            let v2: [String] = r2 ?? ([])
            self.init(id: v0, note: r1, tags: v2, default: r3)
        }

        public static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> Swift.String {
            types.describe(Self.self, as: "Order") {
                type in
                type.structure()
                type.field("number", Int64.self)
                type.field("note", Optional<String>.self)
                type.field("tags", [String].self, hasDefault: true)
                type.field("default", Int?.self)
            }
        }
    }
    """#

@Suite("@Message")
struct MessageExpansionTests {
    @Test func `a struct with keys of its own, an optional, a default and a constant`() {
        expectExpansion(of: structureSource, structureExpansion)
    }

    @Test func `a literal has the type that Swift infers`() {
        let types = ["false": "Bool", "-3": "Int", "0.5": "Double", #""\(a)""#: "String"]
        for (literal, type) in types {
            let (findings, expanded) = refusals(of: "@Message struct S { var x = \(literal) }")
            #expect(findings.isEmpty)
            #expect(expanded.contains("let v0: \(type) = r0 ?? (\(literal))"), "\(expanded)")
        }
    }

    @Test func `an internal struct in a public extension`() {
        let (findings, expanded) = refusals(
            of: "public extension A { @Message internal struct S { var x: Int } }")
        #expect(findings.isEmpty)
        #expect(expanded.contains("    func encode(") && !expanded.contains("public func"))
    }
}
