// JSONTests: CBOR to JSON and back.

import NapkinCoding
import TestSupport
import Testing

@Suite struct JSONTests {
    private func toCBOR(_ text: String) throws -> [UInt8] {
        try JSONToCBOR.transcode(Array(text.utf8))
    }

    private func toJSON(_ bytes: [UInt8]) throws -> String {
        String(decoding: try CBORToJSON.transcode(bytes), as: UTF8.self)
    }

    private func failure(_ text: String) -> JSONError? {
        do {
            _ = try toCBOR(text)
            return nil
        } catch {
            return error as? JSONError
        }
    }

    @Test(arguments: [
        "null", "true", "false", "0", "-1", "18446744073709551615", "-9223372036854775808",
        "9007199254740993", "1.5", "-0.0", "1e+300", "\"\"", "[]", "{}", "[1,[2,{}],\"x\"]",
        #"{"a":{"b":[null,true]},"c":"\"\\\n\r\t\u0001\u007f"}"#, "\"\u{1F525} süß\"",
    ])
    func `JSON comes back as it was`(_ text: String) throws {
        #expect(try toJSON(toCBOR(text)) == text)
    }

    @Test func `escapes mean what they say`() throws {
        let text = #" "\u0041\ud83d\udd25\/\b\f\n\r\t\"\\\u00e9" "#
        let wanted = "A\u{1F525}/\u{8}\u{c}\n\r\t\"\\\u{e9}"
        #expect(try decode(String.self, toCBOR(text)) == wanted)
    }

    @Test func `numbers keep their kind`() throws {
        #expect(try toCBOR("1") == hex("01"))
        #expect(try toCBOR("1.0") == hex("fb3ff0000000000000"))
        #expect(try toCBOR("1e2") == encode(100.0))
        #expect(try toCBOR("-0") == encode(-0.0))
        #expect(try toCBOR("18446744073709551616") == encode(18446744073709551616.0))
        #expect(try toCBOR("-18446744073709551615") == hex("3bfffffffffffffffe"))
        #expect(try toCBOR("-18446744073709551616") == hex("3bffffffffffffffff"))
    }

    @Test(arguments: [
        ("9007199254740993.0", "9007199254740993"), ("9.007199254740993e15", "9007199254740993"),
        ("-9007199254740993.0", "-9007199254740993"),
        ("9007199254740993000e-3", "9007199254740993"),
        ("18446744073709551615.00", "18446744073709551615"), ("1e16", "10000000000000000"),
        ("1.2E+18", "1200000000000000000"), ("-1e19", "-10000000000000000000"),
    ])
    func `whole numbers in any form are exact`(_ form: String, _ plain: String) throws {
        #expect(try toCBOR(form) == toCBOR(plain))
    }

    @Test(.timeLimit(.minutes(1)))
    func `a number of many digits takes time as they are many, and not as their square`() throws {
        let number = "9007199254740993" + String(repeating: "0", count: 300_000) + "e-300000"
        #expect(try toCBOR(number) == toCBOR("9007199254740993"))
    }

    @Test(arguments: [
        "9007199254740993.5", "1e20", "18446744073709551616.0", "0e99999999999999999999",
        "1e-99999999999999999999", "1e-9223372036854775808", "0.1e1", "1e3", "9007199254740991.0",
    ])
    func `other numbers are doubles`(_ form: String) throws {
        #expect(try toCBOR(form) == encode(#require(Double(form))))
    }

    @Test func `a byte order mark is passed over, once, at the beginning`() throws {
        #expect(try toCBOR("\u{FEFF}[1]") == toCBOR("[1]"))
        let object = try JSONObjectReader(Array("\u{FEFF}{\"id\": 7}".utf8))
        #expect(try object.int("id") == 7)
        #expect(object.raw("id") == Array("7".utf8))
        #expect(failure("\u{FEFF}\u{FEFF}1")?.code == .unexpected)
        #expect(failure("[\u{FEFF}1]")?.offset == 1)
        #expect(failure("\u{FEFF}")?.code == .truncated)
    }

    @Test(arguments: [("\u{212B}", "\u{C5}"), ("\u{212A}", "K"), ("\u{1100}\u{1161}", "\u{AC00}")])
    func `members are compared by their bytes`(_ one: String, _ other: String) throws {
        #expect(one == other)
        let text = "{\"\(one)\":1,\"\(other)\":2}"
        let object = try JSONObjectReader(Array(text.utf8))
        #expect(try [object.int(one), object.int(other)] == [1, 2])
        #expect(try toJSON(toCBOR(text)) == text)
        // A dictionary has room for one of them: neither is lost without a word.
        let bytes = try toCBOR(text)
        #expect(code { _ = try decode([String: Int].self, bytes) } == .duplicateKey)
        #expect(code { _ = try decodeContainers([String: Int].self, bytes) } == .duplicateKey)
    }

    @Test func `what JSON has no word for is null, and bytes are base64`() throws {
        #expect(try toJSON(encode([Double.nan, .infinity, 1])) == "[null,null,1.0]")
        #expect(try toJSON(hex("83f7f0f6")) == "[null,null,null]")
        for (bytes, text) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ] {
            let json = try toJSON(encode(Array(bytes.utf8)))
            #expect(json == "\"\(text)\"")
            #expect(try decode([UInt8].self, toCBOR(json)) == Array(bytes.utf8))
        }
        #expect(code { _ = try toJSON(hex("c101")) } == .unsupported)
        #expect(code { _ = try toJSON(hex("a10102")) } == .typeMismatch)
        #expect(code { _ = try toJSON(hex("")) } == .truncated)
    }

    @Test func `a refused item leaves the text as it was`() {
        var text = Array("before".utf8)
        hex("8201c101").withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            #expect(throws: CBORError.self) { try CBORToJSON.append(&reader, to: &text) }
        }
        #expect(text == Array("before".utf8))
    }

    @Test func `typed values cross JSON`() throws {
        for order in Samples.orders where order.price.isFinite {
            let text = try toJSON(encode(order))
            #expect(try decode(Order.self, toCBOR(text)) == order)
            #expect(try decodeContainers(Order.self, toCBOR(text)) == order)
        }
        for move in Samples.moves {
            #expect(try decode(Move.self, toCBOR(toJSON(encode(move)))) == move)
        }
    }

    static let refused: [(String, JSONError.Code, Int)] = [
        ("", .truncated, 0), ("  ", .truncated, 2), ("[1,", .truncated, 3), ("[1", .truncated, 2),
        ("[1 2]", .unexpected, 3), ("{\"a\" 1}", .unexpected, 5), ("{a:1}", .unexpected, 1),
        ("[1,]", .unexpected, 3), ("tru", .unexpected, 0), ("nul ", .unexpected, 0),
        ("1 1", .trailingText, 2), ("01", .trailingText, 1), ("-", .truncated, 1),
        ("-x", .invalidNumber, 1), ("1.", .truncated, 2), ("1.x", .invalidNumber, 2),
        ("1e", .truncated, 2), ("1e999", .invalidNumber, 0), ("\"a", .truncated, 2),
        ("\"\\x\"", .invalidString, 2), ("\"\\u12", .truncated, 5),
        ("\"\\u12g4\"", .invalidString, 5), ("\"\\ud800\"", .invalidString, 3),
        ("\"\\ud800\\u0041\"", .invalidString, 3), ("\"\\udc00\"", .invalidString, 3),
        ("\"a\nb\"", .invalidString, 2), ("{\"a\":1,\"a\":2}", .duplicateName, 7),
        ("+1", .unexpected, 0), (".5", .unexpected, 0), ("NaN", .unexpected, 0),
    ]

    @Test(arguments: refused)
    func `errors name their place`(_ vector: (String, JSONError.Code, Int)) {
        let error = failure(vector.0)
        #expect(error?.code == vector.1, "\(vector.0)")
        #expect(error?.offset == vector.2, "\(vector.0)")
    }

    @Test(arguments: [(63, true), (64, true), (65, false)])
    func `depth is limited`(_ depth: Int, _ fits: Bool) {
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(failure(text)?.code == (fits ? nil : .limitExceeded))
    }

    @Test(arguments: [(2, true), (3, true), (4, false)])
    func `elements, members and bytes are limited`(_ count: Int, _ fits: Bool) {
        let limits = CBORLimits(mapEntriesMax: 3, arrayElementsMax: 3, stringBytesMax: 3)
        let list = "[" + (0..<count).map { "\($0)" }.joined(separator: ",") + "]"
        let object = "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        let string = "\"" + String(repeating: "x", count: count) + "\""
        for text in [list, object, string] {
            let bytes = Array(text.utf8)
            var found: JSONError.Code?
            do throws(JSONError) {
                _ = try JSONToCBOR.transcode(bytes, limits: limits)
            } catch {
                found = error.code
            }
            #expect(found == (fits ? nil : .limitExceeded))
        }
    }

    @Test func `an object hands out its members`() throws {
        let line = #"{"t":"event","id":1, "args" : [1, "x"] ,"node":null,"ok":true}"#
        let object = try JSONObjectReader(Array(line.utf8))
        #expect(object.members.map(\.name) == ["t", "id", "args", "node", "ok"])
        #expect(try object.string("t") == "event")
        #expect(try object.int("id") == 1)
        #expect(try object.int("node") == nil)
        #expect(try object.int("absent") == nil)
        #expect(try object.bool("ok") == true)
        #expect(object.raw("args") == Array(#"[1, "x"]"#.utf8))
        #expect(object.cbor("args") == hex("82016178"))
        let error = #expect(throws: JSONError.self) { try object.int("t") }
        #expect(error?.code == .wrongMember)
        #expect(error?.offset == 5)
        let blanks = try JSONObjectReader(Array(" \t\n { \"a\" : 1 } ".utf8))
        #expect(try blanks.int("a") == 1 && blanks.members.count == 1)
        #expect(throws: JSONError.self) { try JSONObjectReader(Array("[1]".utf8)) }
        #expect(throws: JSONError.self) { try JSONObjectReader(Array("{} x".utf8)) }
    }

    @Test func `of the beginning of an object, members are read whose ends are there`() {
        let line = Array(#"{"t":"event","id":12, "args":[1,"x"],"more":{}}"#.utf8)
        // Where the value's last byte is followed by another one.
        let ends = ["t": 13, "id": 21, "args": 37, "more": 47]
        for count in 0...line.count {
            let object = JSONObjectReader(beginning: Array(line[..<count]))
            let names = ["t", "id", "args", "more"].filter { count >= ends[$0] ?? 0 }
            #expect(object.members.map(\.name) == names, "\(count) bytes")
            #expect(object.raw("id") == (names.contains("id") ? Array("12".utf8) : nil))
        }
    }

    @Test func `random text never traps`() {
        var numbers = Randomness(seed: 8259)
        let alphabet = Array("{}[]:,\"\\u0123456789abcdefntr.-+ eE\n\u{e9}".utf8)
        for _ in 0..<30_000 {
            let count = Int.random(in: 0..<24, using: &numbers)
            let text = (0..<count).map { _ in alphabet.randomElement(using: &numbers) ?? 0 }
            // Whether it is JSON does not matter here, only that the call comes back.
            _ = try? JSONToCBOR.transcode(text)
            // Random text: only a trap would be a failure.
            _ = try? JSONObjectReader(text)
            _ = JSONObjectReader(beginning: text)
        }
    }
}
