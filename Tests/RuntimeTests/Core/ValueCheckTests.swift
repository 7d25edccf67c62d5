// ValueCheckTests: values that are not what a contract says, and the field that is named.

import NapkinCoding
import NapkinCore
import Testing

struct ValueCheckTests {
    private let check = ValueCheck(types: [
        TypeSchema(
            name: "Item", kind: .structure,
            fields: [
                FieldSchema(key: "name", type: "String"), FieldSchema(key: "price", type: "Int8"),
                FieldSchema(key: "note", type: "String?"),
                FieldSchema(key: "stage", type: "Stage?"),
                FieldSchema(key: "parts", type: "[Item]?"),
                FieldSchema(key: "count", type: "Int", hasDefault: true),
            ]),
        TypeSchema(
            name: "Stage", kind: .raw,
            cases: [
                CaseSchema(key: "raw", value: "raw"), CaseSchema(key: "done", value: "done"),
            ], raw: "String"),
        TypeSchema(
            name: "Level", kind: .raw, cases: [CaseSchema(key: "low", value: "1")], raw: "Int"),
        TypeSchema(
            name: "Choice", kind: .choice,
            cases: [
                CaseSchema(key: "none"),
                CaseSchema(key: "some", fields: [FieldSchema(key: "_0", type: "Int")]),
            ]),
        TypeSchema(name: "Date", kind: .opaque),
    ])

    private func mistake(_ json: String, _ type: String) throws -> String? {
        check.mistake(in: try JSONToCBOR.transcode(Array(json.utf8)), of: type, at: "item")
    }

    @Test(arguments: [
        ("Int", "-3"), ("UInt8", "255"), ("Double", "1"), ("Float", "1.5"), ("Bool", "true"),
        ("String", #""a""#), ("String?", "null"), ("[Int]", "[1, 2]"), ("[[Int]?]", "[[1], null]"),
        ("[String: Int]", #"{"a": 1}"#), ("[Int: Bool]", #"{"7": true}"#), ("[UInt8]", #""AAE=""#),
        ("[UInt8]", "[1, 2]"), ("Item", #"{"name": "a", "price": 1}"#),
        ("Item", #"{"price": 1, "name": "a", "note": null, "stage": "done", "parts": []}"#),
        ("Item", #"{"name": "a", "price": 1, "count": 2}"#),
        ("Level", "1"), ("Choice", #"{"none": {}}"#), ("Choice", #"{"some": {"_0": 4}}"#),
        ("Date", "7"), ("Date", #"{"any": "thing"}"#), ("Unheard", "[]"), ("Set<Int>", "[1]"),
        ("[Level: Int]", "[1, 2]"),
    ])
    func `what is of the type has no mistake`(_ type: String, _ json: String) throws {
        #expect(try mistake(json, type) == nil)
    }

    @Test(arguments: [
        ("Int", "1.5", "item does not fit into Int"), ("Int", #""1""#, "item is not of type Int"),
        ("UInt8", "256", "item does not fit into UInt8"),
        ("UInt8", "-1", "item does not fit into UInt8"), ("Bool", "1", "item is not of type Bool"),
        ("String", "null", "item is not of type String"), ("[Int]", "3", "item is not an array"),
        ("[Int]", "[1, true]", "item[1] is not of type Int"),
        ("[String: Int]", #"{"a": "b"}"#, "item.a is not of type Int"),
        ("[Int: Bool]", #"{"x": true}"#, "item has the key 'x', which is not of type Int"),
        ("[UInt8]", "7", "item is not bytes, as base64 text"),
        ("Item", "[]", "item is not a Item, an object"),
        ("Item", #"{"name": "a"}"#, "item.price is missing: it is a Int8"),
        ("Item", #"{"name": "a", "price": 1, "count": null}"#, "item.count is not of type Int"),
        ("Item", #"{"name": "a", "price": 300}"#, "item.price does not fit into Int8"),
        (
            "Item", #"{"name": "a", "prise": 3}"#,
            "item.prise is not a field of Item, which has name, price, note, stage, parts, count"
        ),
        (
            "Item", #"{"name": "a", "price": 1, "stage": "cooked"}"#,
            "item.stage is none of the values of Stage: raw, done"
        ),
        (
            "[Item]", #"[{"name": "a", "price": 1, "parts": [{"name": 5, "price": 1}]}]"#,
            "item[0].parts[0].name is not of type String"
        ),
        ("Level", "2", "item is none of the values of Level: 1"),
        ("Choice", #"{"many": {}}"#, "item.many is not a case of Choice, which has none, some"),
        ("Choice", "{}", "item has not exactly one of the cases none, some"),
        ("Choice", #"{"some": {}}"#, "item.some._0 is missing: it is a Int"),
    ])
    func `the mistake is named with its place`(
        _ type: String, _ json: String, _ words: String
    ) throws {
        #expect(try mistake(json, type) == words)
    }

    @Test func `bytes that are no item are refused, also deep ones`() {
        let deep = [UInt8](repeating: 0x81, count: 10_000)
        for bytes in [[], [0xFF], [0x82, 1], [1, 1], deep] {
            #expect(check.mistake(in: bytes, of: "[Int]", at: "item") != nil)
            #expect(check.mistake(in: bytes, of: "Unheard", at: "item") != nil)
        }
    }

    @Test func `a type that holds itself goes as deep as the value, and no deeper`() throws {
        let own = ValueCheck(types: [
            TypeSchema(
                name: "Box", kind: .structure, fields: [FieldSchema(key: "in", type: "Box?")])
        ])
        var json = "{}"
        for _ in 0..<10 { json = #"{"in": \#(json)}"# }
        let bytes = try JSONToCBOR.transcode(Array(json.utf8))
        #expect(own.mistake(in: bytes, of: "Box", at: "box") == nil)
        let array = [UInt8](repeating: 0x81, count: 500)
        #expect(own.mistake(in: array, of: String(repeating: "[", count: 200), at: "box") != nil)
    }
}
