// HostileTests: bytes from a socket can never trap.

import NapkinCoding
import TestSupport
import Testing

@Suite struct HostileTests {
    private func corpus() throws -> [[UInt8]] {
        try Samples.orders.prefix(2).map { try encode($0) } + Samples.moves.map { try encode($0) }
            + [encodeContainers(Samples.box)]
    }

    @Test func `every message cut at every byte is an error`() throws {
        for bytes in try corpus() {
            for length in 0..<bytes.count {
                let cut = Array(bytes[..<length])
                #expect(throws: CBORError.self) { try reading(cut) { try $0.skip() } }
                #expect(throws: CBORError.self) { try decode(Order.self, cut) }
                #expect(throws: CBORError.self) { try decodeContainers(Order.self, cut) }
                #expect(throws: CBORError.self) { try decode(Move.self, cut) }
                #expect(throws: CBORError.self) { try decodeContainers(Move.self, cut) }
                #expect(throws: CBORError.self) { try decodeContainers(PlainBox.self, cut) }
                _ = CBORDiagnostic.describe(cut)
            }
        }
    }

    /// Everything that reads, one after another. Nothing is expected but to come back.
    private func readAll(_ bytes: [UInt8]) {
        _ = code { try reading(bytes) { try $0.skip() } }
        _ = code { _ = try decode(Order.self, bytes) }
        _ = code { _ = try decode([Move].self, bytes) }
        _ = code { _ = try decode(Move.self, bytes) }
        _ = code { _ = try decode([String: [UInt8]].self, bytes) }
        _ = code { _ = try decode(Set<Float>.self, bytes) }
        _ = code { _ = try decodeContainers(Order.self, bytes) }
        _ = code { _ = try decodeContainers(Move.self, bytes) }
        _ = code { _ = try decodeContainers(PlainBox.self, bytes) }
        _ = code { _ = try decodeContainers([String: PlainBox.Shape].self, bytes) }
        _ = code { _ = try CBORToJSON.transcode(bytes) }
        _ = CBORDiagnostic.describe(bytes)
    }

    @Test func `random bytes never trap`() {
        var numbers = Randomness(seed: 8949)
        for _ in 0..<100_000 {
            let count = Int.random(in: 0..<40, using: &numbers)
            readAll((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &numbers) })
        }
    }

    @Test func `messages with a few bytes changed never trap`() throws {
        var numbers = Randomness(seed: 7)
        let corpus = try corpus()
        for round in 0..<20_000 {
            var bytes = corpus[round % corpus.count]
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                bytes[place] = UInt8.random(in: .min ... .max, using: &numbers)
            }
            readAll(bytes)
        }
    }

    @Test func `what is skipped and typed as well ends at the same byte`() throws {
        for bytes in try corpus() {
            let ends = try reading(bytes) { reader in
                let item = try reader.rawItem()
                return (item.count, reader.offset, reader.isAtEnd)
            }
            #expect(ends == (bytes.count, bytes.count, true))
        }
    }

    @Test func `a decoder that is kept finds no memory afterwards`() throws {
        let bytes = try encodeContainers(["a": 1])
        let kept = try decodeContainers(Keeper.self, bytes)
        #expect(throws: (any Error).self) { try kept.container.decode(Int.self, forKey: .a) }
        #expect(throws: (any Error).self) { try kept.decoder.unkeyedContainer() }
        #expect(throws: (any Error).self) {
            try kept.decoder.singleValueContainer().decode(Int.self)
        }
    }

    @Test func `a decoder that nobody keeps is gone when its call has ended`() throws {
        let bytes = try encodeContainers(["a": ["a": 1]])
        #expect(try decodeContainers(Nest.self, bytes).decoder == nil)
        let inside = try decodeContainers([Nest].self, [0x81] + bytes)
        #expect(inside.count == 1 && inside.allSatisfy { $0.decoder == nil })
    }

    /// Opens a container inside its own, as every enumeration with arguments does.
    struct Nest: Decodable {
        enum CodingKeys: String, CodingKey { case a }

        weak var decoder: AnyObject?

        init(from decoder: any Decoder) throws {
            self.decoder = decoder as AnyObject
            let container = try decoder.container(keyedBy: CodingKeys.self)
            _ = try container.nestedContainer(keyedBy: CodingKeys.self, forKey: .a)
        }
    }

    struct Keeper: Decodable {
        enum CodingKeys: String, CodingKey { case a }

        let decoder: any Decoder
        let container: KeyedDecodingContainer<CodingKeys>

        init(from decoder: any Decoder) throws {
            self.decoder = decoder
            self.container = try decoder.container(keyedBy: CodingKeys.self)
        }
    }
}
