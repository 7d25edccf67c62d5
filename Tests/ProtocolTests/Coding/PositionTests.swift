// PositionTests: where the reader stands after what a type asks for, and after what it does not.

import NapkinCoding
import Testing

@Suite struct PositionTests {
    enum Key: String, CodingKey { case a, b }

    private func bytes(_ json: String) throws -> [UInt8] {
        try JSONToCBOR.transcode(Array(json.utf8))
    }

    /// Looks for one field, and reads another.
    struct Looking: Decodable {
        let b: Int

        init(from decoder: any Decoder) throws {
            let map = try decoder.container(keyedBy: Key.self)
            _ = map.contains(.a)
            b = try map.decode(Int.self, forKey: .b)
        }
    }

    @Test func `the value of a field that nobody reads is not taken for the next key`() throws {
        #expect(try decodeContainers(Looking.self, bytes(#"{"a": "b", "b": 1}"#)).b == 1)
    }

    /// Reads one field twice.
    struct Twice: Decodable {
        let values: [Int]

        init(from decoder: any Decoder) throws {
            let map = try decoder.container(keyedBy: Key.self)
            values = [try map.decode(Int.self, forKey: .a), try map.decode(Int.self, forKey: .a)]
        }
    }

    @Test func `a field that is read twice is one field, whatever its values`() throws {
        #expect(try decodeContainers(Twice.self, bytes(#"{"a": 32, "b": 33}"#)).values == [32, 32])
        for second in ["1820", "1821", "01"] {
            let repeated = hex("a2 6161 1820 6161" + second)
            #expect(code { _ = try decodeContainers(Twice.self, repeated) } == .duplicateKey)
        }
    }

    /// Reads nothing of its value.
    struct Nothing: Decodable {
        init(from decoder: any Decoder) {}
    }

    @Test func `a value of which nothing is read is passed over`() throws {
        let list = try bytes(#"[1, "x", [2, 3], {"a": 1}, null]"#)
        #expect(try decodeContainers([Nothing].self, list).count == 5)
        #expect(throws: CBORError.self) { try decodeContainers([Nothing].self, hex("8161")) }
    }

    /// Tries a list of numbers first, which fails in its middle.
    struct Names: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // Not numbers: then they are names.
            let numbers = try? value.decode([Int].self)
            names = try numbers?.map { "\($0)" } ?? value.decode([Name].self).map(\.text)
        }

        struct Name: Decodable {
            let text: String

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                // Not a text: then it is a number.
                text = try (try? value.decode(String.self)) ?? "\(value.decode(Int.self))"
            }
        }
    }

    @Test func `each attempt at a value begins at its first byte`() throws {
        let lists = try bytes(#"[[1, 2], [3, "x", 4], ["y"], []]"#)
        let names = try decodeContainers([Names].self, lists).map(\.names)
        #expect(names == [["1", "2"], ["3", "x", "4"], ["y"], []])
    }

    /// Tries a list of numbers, then a text, then the list again, and then null.
    struct Guess: Decodable {
        let found: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // An attempt that fails says what the value is not.
            if (try? value.decode([Int].self)) != nil {
                found = "numbers"
                // As above.
            } else if let text = try? value.decode(String.self) {
                found = text
            } else {
                // As above; it may fail in the middle of a list.
                _ = try? value.decode([Int].self)
                found = value.decodeNil() ? "null" : "other"
            }
        }
    }

    @Test func `no attempt begins where another one failed`() throws {
        let values = try bytes(#"[[1], [1, null], [1, "x"], null, "y"]"#)
        let found = try decodeContainers([Guess].self, values).map(\.found)
        #expect(found == ["numbers", "other", "other", "null", "y"])
    }

    /// Writes what it is, twice.
    struct Stutter: Encodable {
        let value: any Encodable & Sendable

        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            for _ in 0..<2 { try write(value, to: &single) }
        }

        private func write(
            _ value: some Encodable, to single: inout any SingleValueEncodingContainer
        ) throws {
            switch value {
            case let value as Bool: try single.encode(value)
            case let value as String: try single.encode(value)
            case let value as Double: try single.encode(value)
            case let value as Float: try single.encode(value)
            case let value as Int: try single.encode(value)
            case let value as Int8: try single.encode(value)
            case let value as Int16: try single.encode(value)
            case let value as Int32: try single.encode(value)
            case let value as Int64: try single.encode(value)
            case let value as UInt: try single.encode(value)
            case let value as UInt8: try single.encode(value)
            case let value as UInt16: try single.encode(value)
            case let value as UInt32: try single.encode(value)
            case let value as UInt64: try single.encode(value)
            case is Int?: try single.encodeNil()
            default: try single.encode(value)
            }
        }
    }

    @Test func `a value of any type is written once`() {
        let values: [any Encodable & Sendable] = [
            true, "x", 1.0, Float(1), 1, Int8(1), Int16(1), Int32(1), Int64(1), UInt(1), UInt8(1),
            UInt16(1), UInt32(1), UInt64(1), Int?.none, [1],
        ]
        for value in values {
            let error = code { _ = try encodeContainers([Stutter(value: value)]) }
            #expect(error == .unsupported, "\(type(of: value))")
        }
    }

    @Test(arguments: ["1901f4", "fbc000000000000000", "f93e00", "20", "3901f4"])
    func `a number that does not fit is reported where it begins`(number: String) {
        let error = #expect(throws: CBORError.self) {
            try decode([UInt8?].self, hex("8201" + number))
        }
        #expect(error?.code == .outOfRange && error?.offset == 2)
    }

    @Test func `what cannot be read is reported where it begins`() {
        func error(_ body: () throws -> Void) -> [String] {
            let error = #expect(throws: CBORError.self, performing: body)
            return error.map { ["\($0.code)", "\($0.offset)"] } ?? []
        }
        let large = error { _ = try decode([Float].self, hex("8201 fb7e37e43c8800759c")) }
        let text = error { _ = try decode([String].self, hex("8260 62c328")) }
        let bytes = error { _ = try decode([[UInt8]].self, hex("8240 613f")) }
        #expect(large == ["outOfRange", "2"])
        #expect(text == ["invalidUTF8", "2"])
        #expect(bytes == ["typeMismatch", "2"])
    }
}
