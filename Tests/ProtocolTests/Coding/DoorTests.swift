// DoorTests: the direct door and the Codable door are one format, beyond what the vectors say.

import NapkinCoding
import Testing

@Suite struct DoorTests {
    @Test func `values of any size have the same bytes through both doors`() throws {
        func check<T: Codable & DirectlyCodable & Equatable>(_ value: T) throws {
            let bytes = try encode(value)
            #expect(try encodeContainers(value) == bytes)
            #expect(try decode(T.self, bytes) == value)
            #expect(try decodeContainers(T.self, bytes) == value)
        }
        for order in Samples.orders { try check(order) }
        for move in Samples.moves { try check(move) }
        try check(Set([1, 2, 3]))
        try check(Array(1...25))
        let bytes = try encodeContainers(Samples.box)
        #expect(try decodeContainers(PlainBox.self, bytes) == Samples.box)
        #expect(!CBORDiagnostic.describe(bytes).contains("error"))
    }

    @Test func `a key with a longer head than needed is still that key`() throws {
        let bytes = hex("a1") + hex("7800") + hex("01")
        #expect(try decode([String: Int].self, bytes) == ["": 1])
        var order = try encode(Samples.orders[0])
        order.replaceSubrange(1...1, with: [0x78, 0x02])
        #expect(try decode(Order.self, order) == Samples.orders[0])
        #expect(try decodeContainers(Order.self, order) == Samples.orders[0])
    }

    /// Pairs of a map as encoded bytes.
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
        for pair in fields + [("new", [0])] {
            for first in 0...fields.count {
                for second in 0...fields.count {
                    var pairs = fields.filter { $0.0 != pair.0 }
                    for place in [first, second] { pairs.insert(pair, at: min(place, pairs.count)) }
                    let bytes = try map(pairs)
                    #expect(code { _ = try decode(Order.self, bytes) } == .duplicateKey)
                    #expect(code { _ = try decodeContainers(Order.self, bytes) } == .duplicateKey)
                }
            }
        }
        let table = try map([("a", [1]), ("b", [1]), ("a", [2])])
        #expect(code { _ = try decode([String: Int].self, table) } == .duplicateKey)
        #expect(code { _ = try decodeContainers([String: Int].self, table) } == .duplicateKey)
    }

    @Test func `a missing field names itself`() throws {
        let bytes = try map([("id", [1])])
        let error = #expect(throws: CBORError.self) { try decode(Order.self, bytes) }
        #expect(error?.code == .missingField && error?.detail.contains("name") == true)
        #expect(error?.offset == bytes.count)
    }

    @Test func `numbers at the ends of what their types hold are exact, or refused`() throws {
        #expect(code { _ = try decode(Int.self, encode(1e300)) } == .outOfRange)
        #expect(throws: Never.self) { try decode(Double.self, hex("3bffffffffffffffff")) }
        #expect(try decode(Float.self, encode(0.1)) == 0.1)
        let halves: [(String, Double)] = [
            ("f9c400", -4), ("f97bff", 65504), ("f9fc00", -.infinity),
        ]
        for (half, value) in halves {
            #expect(try decode(Double.self, hex(half)) == value)
            #expect(try decodeContainers(Double.self, hex(half)) == value)
        }
        #expect(try decode(Double.self, hex("f98000")).sign == .minus)
    }

    /// Of RFC 8949, appendix A, and one that is several items: what the vectors do not have.
    @Test(arguments: [
        ("d74401020304", "23(h'01020304')"), ("d818456449455446", "24(h'6449455446')"),
        ("f9fc00", "-Infinity"), ("0102", "1, 2"),
    ])
    func `diagnostic notation is that of the appendix`(bytes: String, text: String) {
        #expect(CBORDiagnostic.describe(hex(bytes)) == text)
    }
}
