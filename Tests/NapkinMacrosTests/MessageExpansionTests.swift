// MessageExpansionTests: what `@Message` makes of each shape, word for word.

import Testing

private let structureSource = #"""
    @Message
    public struct Order {
        public let id: Int64
        public var note: Optional<String>
        public var tags: [String], `default`: Int!
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
        public var tags: [String], `default`: Int!
        public let version = 2
        public var isEmpty: Bool { tags.isEmpty }
        enum CodingKeys: String, CodingKey {
            case id = "number"
            case note, tags, `default`, version
        }

        /// Creates a value of its fields.
        public nonisolated init(
            id: Int64, note: Optional<String>, tags: [String], `default`: Int? = nil
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
            guard let v2 = r2 else {
                throw reader.missingField("tags", of: "Order")
            }
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
                type.field("tags", [String].self)
                type.field("default", Int?.self)
            }
        }
    }
    """#

private let choiceSource = #"""
    @Message
    enum Move: Codable {
        case idle
        case go(to: String, Double?, in: Int)
    }
    """#

private let choiceExpansion = #"""

    enum Move: Codable {
        case idle
        case go(to: String, Double?, in: Int)
    }

    nonisolated extension Move: Swift.Sendable, NapkinCoding.DirectlyCodable {
        func encode(
            into writer: inout NapkinCoding.CBORWriter
        ) throws(NapkinCoding.CBORError) {
            writer.writeMapHeader(1)
            switch self {
            case .idle:
                writer.writeKey("idle")
                writer.writeMapHeader(0)
            case .go(let a0, let a1, let a2):
                writer.writeKey("go")
                writer.writeMapHeader(2 + (a1 == nil ? 0 : 1))
                writer.writeKey("to")
                try writer.write(a0)
                if let value = a1 {
                    writer.writeKey("_1")
                    try writer.write(value)
                }
                writer.writeKey("in")
                try writer.write(a2)
            }
        }

        init(
            from reader: inout NapkinCoding.CBORReader
        ) throws(NapkinCoding.CBORError) {
            var cases = try reader.beginMap()
            let index: Swift.Int
            if reader.matchCase("idle", &cases) {
                index = 0
            } else if reader.matchCase("go", &cases) {
                index = 1
            } else {
                (index, cases) = try reader.findCase(["idle", "go"], of: "Move", cases)
            }
            decoding: switch index {
            case 0:
                try reader.skipMap()
                self = Self.idle
            default:
                var fields = try reader.beginMap()
                var f0: String? = nil
                var f1: Double? = nil
                var f2: Int? = nil
                inOrder: if fields.mayHave(2) {
                    guard reader.matchField("to", 0, &fields) else {
                        break inOrder
                    }
                    let v0 = try reader.read(String.self)
                    f0 = v0
                    if reader.matchField("_1", 1, &fields) {
                        f1 = try reader.read(Double?.self)
                    }
                    guard reader.matchField("in", 2, &fields) else {
                        break inOrder
                    }
                    let v2 = try reader.read(Int.self)
                    f2 = v2
                    guard reader.endMap(fields) else {
                        break inOrder
                    }
                    self = Self.go(to: v0, f1, in: v2)
                    break decoding
                }
                var r0 = f0
                var r1 = f1
                var r2 = f2
                try reader.readRest(fields, ["to", "_1", "in"]) {
                    index, reader throws(NapkinCoding.CBORError) in
                    switch index {
                    case 0:
                        r0 = try reader.read(String.self)
                    case 1:
                        r1 = try reader.read(Double?.self)
                    default:
                        r2 = try reader.read(Int.self)
                    }
                }
                guard let v0 = r0 else {
                    throw reader.missingField("to", of: "Move.go")
                }
                guard let v2 = r2 else {
                    throw reader.missingField("in", of: "Move.go")
                }
                self = Self.go(to: v0, r1, in: v2)
            }
            try reader.endCases(["idle", "go"], cases)
        }

        static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> Swift.String {
            types.describe(Self.self, as: "Move") {
                type in
                type.choice("idle")
                type.choice("go")
                type.field("to", String.self)
                type.field("_1", Double?.self)
                type.field("in", Int.self)
            }
        }
    }
    """#

private let rawSource = #"""
    extension Outer {
        @Message
        public enum Kind: String, Sendable {
            case a
            case `default` = "b"
        }
    }
    """#

private let rawExpansion = #"""
    extension Outer {
        public enum Kind: String, Sendable {
            case a
            case `default` = "b"
        }
    }

    nonisolated extension Outer.Kind: Swift.Codable, NapkinCoding.DirectlyCodable {
        public static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> Swift.String {
            types.describe(Self.self, as: "Outer.Kind") {
                type in
                type.raw(Self.RawValue.self)
                type.value("a", Self.a.rawValue)
                type.value("default", Self.`default`.rawValue)
            }
        }
    }
    """#

private let emptySource = #"""
    @Message
    struct Empty {}
    """#

private let emptyExpansion = #"""

    struct Empty {}

    nonisolated extension Empty: Swift.Codable, Swift.Sendable, NapkinCoding.DirectlyCodable {
        func encode(
            into writer: inout NapkinCoding.CBORWriter
        ) throws(NapkinCoding.CBORError) {
            writer.writeMapHeader(0)
        }

        init(
            from reader: inout NapkinCoding.CBORReader
        ) throws(NapkinCoding.CBORError) {
            try reader.skipMap()
        }

        static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> Swift.String {
            types.describe(Self.self, as: "Empty") {
                type in
                type.structure()
            }
        }
    }
    """#

private let optionsSource = #"""
    @Message
    struct Extras: OptionSet {
        let rawValue: UInt8
    }
    """#

private let optionsExpansion = #"""

    struct Extras: OptionSet {
        let rawValue: UInt8
    }

    nonisolated extension Extras: Swift.Codable, Swift.Sendable, NapkinCoding.DirectlyCodable {
        static func describe(
            in types: inout NapkinCoding.TypeCatalog
        ) -> Swift.String {
            types.describe(Self.self, as: "Extras") {
                type in
                type.raw(Self.RawValue.self)
            }
        }
    }
    """#

@Suite("@Message")
struct MessageExpansionTests {
    @Test func `a struct with keys of its own, an optional and a constant`() {
        expectExpansion(of: structureSource, structureExpansion)
    }

    @Test func `an enum with payloads that is Codable already`() {
        expectExpansion(of: choiceSource, choiceExpansion)
    }

    @Test func `an enum with a raw type in a public extension`() {
        expectExpansion(of: rawSource, rawExpansion)
    }

    @Test func `an internal struct in a public extension`() {
        let (findings, expanded) = refusals(
            of: "public extension A { @Message internal struct S { var x: Int } }")
        #expect(findings.isEmpty)
        #expect(expanded.contains("    func encode(") && !expanded.contains("public func"))
    }

    @Test func `a struct without fields`() {
        expectExpansion(of: emptySource, emptyExpansion)
    }

    @Test func `a struct that is its raw value`() {
        expectExpansion(of: optionsSource, optionsExpansion)
    }
}
