// LimitTests: each limit one below, at, and one above.

import NapkinCoding
import Testing

@Suite struct LimitTests {
    /// `depth` arrays inside one another.
    private func nested(_ depth: Int) -> [UInt8] {
        Array(repeating: 0x81, count: depth - 1) + [0x80]
    }

    indirect enum Plain: Codable {
        case end
        case more(Plain)
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `depth`(_ depth: Int, _ fits: Bool) {
        let wanted: CBORError.Code? = fits ? nil : .depthExceeded
        #expect(code { try reading(nested(depth)) { try $0.skip() } } == wanted)
        let text = CBORDiagnostic.describe(nested(depth))
        #expect(text.contains("depthExceeded") != fits)
        let tags = Array(repeating: UInt8(0xc1), count: depth) + [0]
        #expect(code { try reading(tags) { try $0.skip() } } == wanted)
    }

    @Test(arguments: [(7, true), (8, true), (9, false)])
    func `depth of typed values in both doors`(_ depth: Int, _ fits: Bool) throws {
        // A case is a map, its payload a map.
        var move = Move.idle
        for _ in 0..<depth { move = .twice(move) }
        let bytes = try encode(move)
        let limits = CBORLimits(depthMax: 18)
        let wanted: CBORError.Code? = fits ? nil : .depthExceeded
        #expect(code { _ = try decode(Move.self, bytes, limits) } == wanted)
        #expect(code { _ = try decodeContainers(Move.self, bytes, limits) } == wanted)
        #expect(code { try reading(bytes, limits) { try $0.skip() } } == wanted)
    }

    @Test func `a value too deep to be read is not written through containers`() throws {
        var plain = Plain.end
        for _ in 0..<31 { plain = .more(plain) }
        let bytes = try encodeContainers(plain)
        #expect(throws: Never.self) { try decodeContainers(Plain.self, bytes) }
        #expect(code { _ = try encodeContainers(Plain.more(plain)) } == .depthExceeded)
    }

    @Test(arguments: [(2, true), (3, true), (4, false)])
    func `pairs, elements and bytes`(_ count: Int, _ fits: Bool) throws {
        let limits = CBORLimits(mapEntriesMax: 3, arrayElementsMax: 3, stringBytesMax: 3)
        let wanted: CBORError.Code? = fits ? nil : .lengthExceeded
        let pairs = Dictionary(uniqueKeysWithValues: (0..<count).map { ("\($0)", $0) })
        let text = String(repeating: "x", count: count)
        let bytes = [UInt8](repeating: 0, count: count)
        for item in [
            try encode(pairs), try encode(Array(0..<count)), try encode(text), try encode(bytes),
        ] {
            #expect(code { try reading(item, limits) { try $0.skip() } } == wanted)
        }
        #expect(code { _ = try decode([String: Int].self, encode(pairs), limits) } == wanted)
        #expect(code { _ = try decode([Int].self, encode(Array(0..<count)), limits) } == wanted)
        #expect(code { _ = try decode(String.self, encode(text), limits) } == wanted)
        #expect(code { _ = try decode([UInt8].self, encode(bytes), limits) } == wanted)
        #expect(
            code { _ = try decodeContainers([String: Int].self, encode(pairs), limits) } == wanted)
        #expect(code { _ = try decodeContainers(String.self, encode(text), limits) } == wanted)
    }

    @Test func `unknown keys are compared up to the tracked number`() throws {
        for (count, wanted) in [(14, CBORError.Code.duplicateKey), (15, nil)] {
            var writer = CBORWriter()
            writer.writeMapHeader(count + 2)
            for number in 0..<count {
                writer.writeString("u\(number)")
                writer.writeNull()
            }
            for _ in 0..<2 {
                writer.writeKey("turn")
                writer.writeNull()
            }
            let bytes = writer.copyBytes()
            let found = code { try reading(bytes) { try $0.skipMap() } }
            #expect(found == wanted)
        }
    }

    @Test(arguments: [
        "9affffffff", "9bffffffffffffffff", "baffffffff", "5bffffffffffffffff",
        "7b7fffffffffffffff", "bb8000000000000001",
    ])
    func `a count beyond the input is refused before anything is allocated`(_ text: String) {
        #expect(code { try reading(hex(text)) { try $0.skip() } } == .truncated)
        #expect(throws: CBORError.self) { try decode([Order].self, hex(text)) }
        #expect(throws: CBORError.self) { try decode([String: Order].self, hex(text)) }
        #expect(throws: CBORError.self) { try decodeContainers(PlainBox.self, hex(text)) }
        #expect(throws: CBORError.self) { try decode(String.self, hex(text)) }
    }
}
