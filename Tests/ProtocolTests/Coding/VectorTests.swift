// VectorTests: RFC 8949, appendix A.

import NapkinCoding
import Testing

@Suite struct VectorTests {
    static let integers: [(String, Int64)] = [
        ("00", 0), ("01", 1), ("0a", 10), ("17", 23), ("1818", 24), ("1819", 25), ("1864", 100),
        ("1903e8", 1000), ("1a000f4240", 1_000_000), ("1b000000e8d4a51000", 1_000_000_000_000),
        ("20", -1), ("29", -10), ("3863", -100), ("3903e7", -1000),
        ("3b7fffffffffffffff", .min), ("1b7fffffffffffffff", .max),
    ]

    @Test(arguments: integers)
    func `integers are written and read as in the appendix`(_ vector: (String, Int64)) throws {
        #expect(try encode(vector.1) == hex(vector.0))
        #expect(try encodeContainers(vector.1) == hex(vector.0))
        #expect(try decode(Int64.self, hex(vector.0)) == vector.1)
        #expect(try decodeContainers(Int64.self, hex(vector.0)) == vector.1)
        #expect(try decode(Double.self, hex(vector.0)) == Double(vector.1))
        #expect(CBORDiagnostic.describe(hex(vector.0)) == "\(vector.1)")
    }

    @Test func `the largest unsigned integer fits UInt64 only`() throws {
        let bytes = hex("1bffffffffffffffff")
        #expect(try decode(UInt64.self, bytes) == .max)
        #expect(try encode(UInt64.max) == bytes)
        #expect(code { _ = try decode(Int64.self, bytes) } == .outOfRange)
        #expect(CBORDiagnostic.describe(bytes) == "18446744073709551615")
    }

    @Test func `the smallest negative integer fits no type but is described`() {
        let bytes = hex("3bffffffffffffffff")
        #expect(CBORDiagnostic.describe(bytes) == "-18446744073709551616")
        #expect(code { _ = try decode(Int64.self, bytes) } == .outOfRange)
        #expect(throws: Never.self) { try decode(Double.self, bytes) }
    }

    static let floats: [(String, Double)] = [
        ("f90000", 0), ("f93c00", 1), ("f93e00", 1.5), ("f97bff", 65504),
        ("fa47c35000", 100_000), ("fa7f7fffff", 3.4028234663852886e38),
        ("fb7e37e43c8800759c", 1.0e300), ("f90001", 5.960464477539063e-8),
        ("f90400", 0.00006103515625), ("f9c400", -4), ("fbc010666666666666", -4.1),
        ("f97c00", .infinity), ("f9fc00", -.infinity), ("fa7f800000", .infinity),
        ("faff800000", -.infinity), ("fb7ff0000000000000", .infinity),
        ("fb3ff199999999999a", 1.1),
    ]

    @Test(arguments: floats)
    func `floats of each width are read as in the appendix`(_ vector: (String, Double)) throws {
        #expect(try decode(Double.self, hex(vector.0)) == vector.1)
        #expect(try decodeContainers(Double.self, hex(vector.0)) == vector.1)
        if vector.0.hasPrefix("fb") { #expect(try encode(vector.1) == hex(vector.0)) }
        if vector.0.hasPrefix("fa") { #expect(try encode(Float(vector.1)) == hex(vector.0)) }
    }

    @Test(arguments: ["f97e00", "fa7fc00000", "fb7ff8000000000000"])
    func `not a number is read from each width`(_ text: String) throws {
        #expect(try decode(Double.self, hex(text)).isNaN)
        #expect(CBORDiagnostic.describe(hex(text)) == "NaN")
    }

    @Test func `minus zero keeps its sign`() throws {
        #expect(try decode(Double.self, hex("f98000")).sign == .minus)
    }

    static let strings: [(String, String)] = [
        ("60", ""), ("6161", "a"), ("6449455446", "IETF"), ("62225c", "\"\\"),
        ("62c3bc", "\u{fc}"), ("63e6b0b4", "\u{6c34}"), ("64f0908591", "\u{10151}"),
    ]

    @Test(arguments: strings)
    func `text strings go both ways`(_ vector: (String, String)) throws {
        #expect(try encode(vector.1) == hex(vector.0))
        #expect(try encodeContainers(vector.1) == hex(vector.0))
        #expect(try decode(String.self, hex(vector.0)) == vector.1)
        #expect(try decodeContainers(String.self, hex(vector.0)) == vector.1)
    }

    @Test func `simple values, arrays and maps go both ways`() throws {
        #expect(try encode(false) == hex("f4"))
        #expect(try encode(true) == hex("f5"))
        #expect(try encode(Int?.none) == hex("f6"))
        #expect(try encode([UInt8]([1, 2, 3, 4])) == hex("4401020304"))
        #expect(try encode([1, 2, 3]) == hex("83010203"))
        #expect(try encode(["a": "A"]) == hex("a161616141"))
        let long = hex("98190102030405060708090a0b0c0d0e0f101112131415161718181819")
        #expect(try encode(Array(1...25)) == long)
        #expect(try encodeContainers(Array(1...25)) == long)
        #expect(try decode([Int].self, long) == Array(1...25))
        let pairs = hex("a56161614161626142616361436164614461656145")
        let wanted = ["a": "A", "b": "B", "c": "C", "d": "D", "e": "E"]
        #expect(try decode([String: String].self, pairs) == wanted)
        #expect(try decodeContainers([String: String].self, pairs) == wanted)
    }

    static let notations: [(String, String)] = [
        ("f4", "false"), ("f5", "true"), ("f6", "null"), ("f7", "undefined"),
        ("f0", "simple(16)"), ("f8ff", "simple(255)"), ("f97c00", "Infinity"),
        ("f9fc00", "-Infinity"), ("fb3ff199999999999a", "1.1"),
        ("c11a514b67b0", "1(1363896240)"), ("c249010000000000000000", "2(h'010000000000000000')"),
        ("d74401020304", "23(h'01020304')"), ("d818456449455446", "24(h'6449455446')"),
        ("40", "h''"), ("62225c", "\"\\\"\\\\\""), ("80", "[]"),
        ("8301820203820405", "[1, [2, 3], [4, 5]]"), ("a0", "{}"), ("a201020304", "{1: 2, 3: 4}"),
        ("a26161016162820203", "{\"a\": 1, \"b\": [2, 3]}"),
        ("826161a161626163", "[\"a\", {\"b\": \"c\"}]"), ("0102", "1, 2"),
    ]

    @Test(arguments: notations)
    func `diagnostic notation is that of the appendix`(_ vector: (String, String)) {
        #expect(CBORDiagnostic.describe(hex(vector.0)) == vector.1)
    }

    @Test(arguments: [
        "5f42010243030405ff", "7f657374726561646d696e67ff", "9fff", "9f018202039f0405ffff",
        "83018202039f0405ff", "bf61610161629f0203ffff", "826161bf61626163ff",
        "bf6346756ef563416d7421ff",
    ])
    func `indefinite lengths are refused everywhere`(_ text: String) {
        #expect(code { try reading(hex(text)) { try $0.skip() } } == .indefiniteLength)
        #expect(CBORDiagnostic.describe(hex(text)).contains("indefiniteLength"))
        #expect(code { _ = try decode([Int].self, hex("9fff")) } == .indefiniteLength)
        #expect(code { _ = try decodeContainers([Int].self, hex("9fff")) } == .indefiniteLength)
    }

    @Test(arguments: ["1c", "1d", "1e", "5c", "7d", "9e", "bc", "dd", "fc", "f800", "f81f"])
    func `reserved encodings are refused`(_ text: String) {
        #expect(code { try reading(hex(text)) { try $0.skip() } } == .reserved)
    }
}
