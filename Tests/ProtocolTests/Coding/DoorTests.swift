// DoorTests: the direct door and the Codable door are one format.

import NapkinCoding
import Testing

@Suite struct DoorTests {
    @Test(arguments: Samples.orders)
    func `structs have the same bytes through both doors`(_ order: Order) throws {
        let bytes = try encode(order)
        #expect(try encodeContainers(order) == bytes)
        #expect(try decode(Order.self, bytes) == order)
        #expect(try decodeContainers(Order.self, bytes) == order)
    }

    @Test(arguments: Samples.moves)
    func `enums have the same bytes through both doors`(_ move: Move) throws {
        let bytes = try encode(move)
        #expect(try encodeContainers(move) == bytes)
        #expect(try decode(Move.self, bytes) == move)
        #expect(try decodeContainers(Move.self, bytes) == move)
    }

    @Test(arguments: Kind.allCases)
    func `raw values have the same bytes through both doors`(_ kind: Kind) throws {
        #expect(try encode(kind) == encode(kind.rawValue))
        #expect(try encodeContainers(kind) == encode(kind))
        #expect(try decodeContainers(Kind.self, encode(kind)) == kind)
    }

    @Test func `an unknown raw value is an error in both doors`() throws {
        let bytes = try encode("huge")
        #expect(code { _ = try decode(Kind.self, bytes) } == .unknownCase)
        #expect(code { _ = try decodeContainers(Kind.self, bytes) } == .unknownCase)
    }

    @Test func `nested plain types survive the Codable door`() throws {
        let bytes = try encodeContainers(Samples.box)
        #expect(try decodeContainers(PlainBox.self, bytes) == Samples.box)
        #expect(!CBORDiagnostic.describe(bytes).contains("error"))
    }

    @Test func `a nil field is omitted, a missing one is nil, and null is nil`() throws {
        let text = CBORDiagnostic.describe(try encode(Samples.orders[0]))
        #expect(!text.contains("note"))
        let bytes = try JSONToCBOR.transcode(
            Array(#"{"id":1,"name":"x","note":null,"quantity":2,"price":3,"tags":[]}"#.utf8))
        let wanted = Order(id: 1, name: "x", quantity: 2, price: 3, tags: [])
        #expect(try decode(Order.self, bytes) == wanted)
        #expect(try decodeContainers(Order.self, bytes) == wanted)
    }

    static let evolutions: [String] = [
        #"{"id":1,"future":{"a":[1,{}]},"name":"x","quantity":2,"price":3,"tags":["t"]}"#,
        #"{"tags":["t"],"price":3,"quantity":2,"name":"x","id":1}"#,
        #"{"z":0,"name":"x","y":1,"tags":["t"],"x":2,"id":1,"price":3,"w":[],"quantity":2,"v":0}"#,
        #"{"id":1,"name":"x","quantity":2,"price":3,"tags":["t"],"a":1,"b":2,"c":3,"d":4,"e":5}"#,
    ]

    @Test(arguments: evolutions)
    func `unknown keys are skipped and any order is read`(_ text: String) throws {
        let bytes = try JSONToCBOR.transcode(Array(text.utf8))
        let wanted = Order(id: 1, name: "x", quantity: 2, price: 3, tags: ["t"])
        #expect(try decode(Order.self, bytes) == wanted)
        #expect(try decodeContainers(Order.self, bytes) == wanted)
    }

    @Test func `a key with a longer head than needed is still that key`() throws {
        let bytes = hex("a1") + hex("7800") + hex("01")
        #expect(try decode([String: Int].self, bytes) == ["": 1])
        var order = try encode(Samples.orders[0])
        order.replaceSubrange(1...1, with: [0x78, 0x02])
        #expect(try decode(Order.self, order) == Samples.orders[0])
        #expect(try decodeContainers(Order.self, order) == Samples.orders[0])
    }

    /// Pairs of a map as encoded bytes, `id` first.
    private func map(_ pairs: [(String, [UInt8])]) throws -> [UInt8] {
        var writer = CBORWriter()
        writer.writeMapHeader(pairs.count)
        for (key, value) in pairs {
            writer.writeString(key)
            writer.append(value)
        }
        return writer.copyBytes()
    }

    @Test func `a key twice in one map is an error in both doors`() throws {
        let fields: [(String, [UInt8])] = [
            ("id", [1]), ("name", [0x60]), ("quantity", [2]), ("price", [3]), ("tags", [0x80]),
        ]
        for field in fields {
            for place in 0...fields.count {
                var pairs = fields
                pairs.insert(field, at: place)
                let bytes = try map(pairs)
                #expect(code { _ = try decode(Order.self, bytes) } == .duplicateKey)
                #expect(code { _ = try decodeContainers(Order.self, bytes) } == .duplicateKey)
            }
        }
        for place in 0...fields.count {
            var pairs = fields
            pairs.insert(("new", [0]), at: place)
            pairs.insert(("new", [0]), at: 0)
            let bytes = try map(pairs)
            #expect(code { _ = try decode(Order.self, bytes) } == .duplicateKey)
            #expect(code { _ = try decodeContainers(Order.self, bytes) } == .duplicateKey)
        }
        let payload = try map([("turn", map([("_0", [1]), ("_0", [2])]))])
        #expect(code { _ = try decode(Move.self, payload) } == .duplicateKey)
        #expect(code { _ = try decodeContainers(Move.self, payload) } == .duplicateKey)
        let table = try map([("a", [1]), ("b", [1]), ("a", [2])])
        #expect(code { _ = try decode([String: Int].self, table) } == .duplicateKey)
        #expect(code { _ = try decodeContainers([String: Int].self, table) } == .duplicateKey)
    }

    @Test func `a missing field names itself`() throws {
        let bytes = try map([("id", [1])])
        #expect(code { _ = try decode(Order.self, bytes) } == .missingField)
        #expect(code { _ = try decodeContainers(Order.self, bytes) } == .missingField)
        let error = #expect(throws: CBORError.self) { try decode(Order.self, bytes) }
        #expect(error?.detail.contains("name") == true)
        #expect(error?.offset == bytes.count)
    }

    @Test func `a map of no case or of two cases is no enum`() throws {
        let none = try map([("fly", [0xa0])])
        let two = try map([("idle", [0xa0]), ("turn", map([("_0", [1])]))])
        #expect(code { _ = try decode(Move.self, none) } == .unknownCase)
        #expect(code { _ = try decode(Move.self, two) } == .unknownCase)
        #expect(code { _ = try decodeContainers(Move.self, none) } == .unknownCase)
        #expect(code { _ = try decodeContainers(Move.self, two) } == .unknownCase)
    }

    @Test func `numbers convert only where nothing is lost`() throws {
        #expect(try decode(Int.self, encode(3.0)) == 3)
        #expect(code { _ = try decode(Int.self, encode(3.5)) } == .outOfRange)
        #expect(code { _ = try decode(Int.self, encode(Double.nan)) } == .outOfRange)
        #expect(code { _ = try decode(Int.self, encode(1e300)) } == .outOfRange)
        #expect(code { _ = try decode(Int8.self, encode(128)) } == .outOfRange)
        #expect(try decode(Int8.self, encode(-128)) == -128)
        #expect(code { _ = try decode(UInt8.self, encode(-1)) } == .outOfRange)
        #expect(try decode(Float.self, encode(0.1)) == 0.1)
        #expect(code { _ = try decode(Float.self, encode(1e300)) } == .outOfRange)
        #expect(code { _ = try decode(Bool.self, encode(1)) } == .typeMismatch)
        #expect(code { _ = try decode(String.self, [UInt8]([0x62, 0xc3, 0x28])) } == .invalidUTF8)
        #expect(code { _ = try decode(Int.self, hex("c101")) } == .unsupported)
    }

    @Test func `byte arrays are byte strings, and are read from JSON's forms`() throws {
        let bytes: [UInt8] = [0, 1, 254, 255]
        for door in [try encode(bytes), try encodeContainers([[UInt8]]([bytes])).dropFirst() + []] {
            #expect(door == hex("440001feff"))
        }
        for form in ["440001feff", "84000118fe18ff", "68414148 2b2f773d3d"] {
            #expect(try decode([UInt8].self, hex(form)) == bytes, "\(form)")
        }
        #expect(code { _ = try decode([UInt8].self, encode("?")) } == .typeMismatch)
    }

    @Test func `sets and optionals inside arrays survive`() throws {
        let set: Set<Int> = [1, 2, 3]
        #expect(try decode(Set<Int>.self, encode(set)) == set)
        #expect(try decodeContainers(Set<Int>.self, encodeContainers(set)) == set)
        let list: [Int?] = [1, nil, 3]
        #expect(try encode(list) == encodeContainers(list))
        #expect(try decodeContainers([Int?].self, encode(list)) == list)
    }
}
