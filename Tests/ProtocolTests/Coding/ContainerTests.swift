// ContainerTests: the corners of Codable's containers, and the writer under them.

import NapkinCoding
import Testing

@Suite struct ContainerTests {
    enum Key: String, CodingKey { case a, b, c }

    /// Encodes through a closure.
    struct Custom: Encodable {
        let body: (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try body(encoder) }
    }

    private func describe(_ body: @escaping (any Encoder) throws -> Void) throws -> String {
        CBORDiagnostic.describe(try encodeContainers(Custom(body: body)))
    }

    @Test func `nested containers close when their parent continues`() throws {
        let text = try describe { encoder in
            var outer = encoder.container(keyedBy: Key.self)
            var inner = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
            try inner.encode(1, forKey: .b)
            var list = inner.nestedUnkeyedContainer(forKey: .c)
            for number in 0..<30 { try list.encode(number) }
            #expect(list.count == 30)
            try outer.encode("end", forKey: .b)
        }
        let numbers = (0..<30).map { "\($0)" }.joined(separator: ", ")
        #expect(text == "{\"a\": {\"b\": 1, \"c\": [\(numbers)]}, \"b\": \"end\"}")
    }

    @Test func `two containers filled alternately are refused`() {
        #expect(
            code {
                _ = try describe { encoder in
                    var outer = encoder.container(keyedBy: Key.self)
                    var first = outer.nestedContainer(keyedBy: Key.self, forKey: .a)
                    var second = outer.nestedContainer(keyedBy: Key.self, forKey: .b)
                    try second.encode(1, forKey: .a)
                    try first.encode(1, forKey: .a)
                }
            } == .unsupported)
        #expect(
            code {
                _ = try describe { encoder in
                    var map = encoder.container(keyedBy: Key.self)
                    try map.encode(1, forKey: .a)
                    _ = encoder.unkeyedContainer()
                }
            } == .unsupported)
    }

    @Test func `a value that writes nothing is an empty map`() throws {
        #expect(try describe { _ in } == "{}")
        let text = try describe { encoder in
            var map = encoder.container(keyedBy: Key.self)
            try map.encode(Custom { _ in }, forKey: .a)
        }
        #expect(text == "{\"a\": {}}")
    }

    class Base: Codable {
        var base = 1
    }

    final class Derived: Base {
        enum CodingKeys: String, CodingKey { case own }
        var own = 2

        override init() { super.init() }

        required init(from decoder: any Decoder) throws {
            let map = try decoder.container(keyedBy: CodingKeys.self)
            own = try map.decode(Int.self, forKey: .own)
            try super.init(from: map.superDecoder())
        }

        override func encode(to encoder: any Encoder) throws {
            var map = encoder.container(keyedBy: CodingKeys.self)
            try map.encode(own, forKey: .own)
            try super.encode(to: map.superEncoder())
        }
    }

    @Test func `a class with a superclass is no value`() throws {
        #expect(code { _ = try encodeContainers(Derived()) } == .unsupported)
    }

    /// Tries one type after another, in the same place.
    enum Either: Decodable, Equatable {
        case number(Int)
        case list([Int])

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // Not a number: then it is a list.
            if let number = try? value.decode(Int.self) {
                self = .number(number)
            } else {
                self = .list(try value.decode([Int].self))
            }
        }
    }

    @Test func `a single value may be tried as several types`() throws {
        let bytes = try JSONToCBOR.transcode(Array("[1,[2,3],4]".utf8))
        let wanted: [Either] = [.number(1), .list([2, 3]), .number(4)]
        #expect(try decodeContainers([Either].self, bytes) == wanted)
    }

    @Test func `a failed encoding leaves the writer as it was`() throws {
        struct Refusal: Error {}
        var writer = CBORWriter()
        writer.append(littleEndian: UInt32(7))
        let refused = Custom { encoder in
            var map = encoder.container(keyedBy: Key.self)
            try map.encode("text", forKey: .a)
            throw Refusal()
        }
        do throws(CBORError) {
            try writer.write(refused)
            Issue.record("expected an error")
        } catch {
            #expect(error.code == .custom)
            #expect(error.offset == -1)
        }
        #expect(writer.copyBytes() == [7, 0, 0, 0])
    }

    @Test func `raw integers are little-endian and can be replaced`() {
        var writer = CBORWriter(capacity: 1)
        writer.append(littleEndian: UInt32(0))
        writer.append(littleEndian: UInt16(0x0102))
        writer.append(littleEndian: UInt64(3))
        writer.overwrite(littleEndian: UInt32(writer.count), at: 0)
        #expect(writer.copyBytes() == [14, 0, 0, 0, 2, 1, 3, 0, 0, 0, 0, 0, 0, 0])
        #expect(writer.copyBytes(from: 12) == [0, 0])
        writer.truncate(to: 1)
        #expect(writer.withUnsafeBytes { Array($0) } == [14])
    }

    @Test func `a writer grows, and gives large memory back`() {
        var writer = CBORWriter()
        let block = [UInt8](repeating: 9, count: 100_000)
        for _ in 0..<5 { writer.append(block) }
        #expect(writer.count == 500_000)
        #expect(writer.copyBytes().allSatisfy { $0 == 9 })
        writer.removeAll()
        writer.append([1])
        #expect(writer.copyBytes() == [1])
    }

    @Test func `a writer refuses to truncate beyond its bytes`() async {
        await #expect(processExitsWith: .failure) {
            var writer = CBORWriter()
            writer.truncate(to: 1)
        }
    }
}
