// FormTests: forms made from schemas: what they look like, what they refuse, what they make.

import NapkinCoding
import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

@Suite struct FormTests {
    @Test(arguments: goldenSizes)
    func `an event with parameters opens a form, which sends what is right`(
        size: ScreenSize
    ) throws {
        let golden = Golden("form", size)
        let stage = Kitchen.stage(size)
        stage.press(.character("3"))
        golden.take("opened", stage)
        stage.type("Ribs 肉")
        stage.press(.tab)
        stage.type("300")
        stage.press(.enter)
        golden.take("a count that is no UInt8", stage)
        #expect(stage.focused == "order.1.count")
        #expect(stage.sent.isEmpty)
        stage.press(.backspace)
        // note: on, with a text; tags: two; stage: done; payment: by card; spicy.
        stage.press(.tab, .enter, .tab)
        stage.type("no salt")
        stage.press(.tab, .enter, .enter, .tab, .tab)
        stage.type("hot")
        stage.press(.tab)
        stage.type("now")
        stage.press(.tab, .right, .tab, .right, .tab)
        stage.type("77")
        stage.press(.tab, .character(" "))
        golden.take("filled in", stage)
        stage.press(.control("r"))
        golden.take("as JSON", stage)
        stage.press(.control("r"))
        stage.focus("Send")
        stage.press(.enter)
        let order =
            #"{"name":"Ribs 肉","count":30,"note":"no salt","tags":["hot","now"],"#
            + #""stage":"well-done","payment":{"card":{"number":77}},"isSpicy":true}"#
        #expect(stage.sent.map(\.payload) == [order])
        #expect(stage.sent.map(\.method) == ["didOrder(order:)"])
        golden.take("sent", stage)
        try golden.check()
    }

    @Test func `what a form leaves out is absent, and no null`() {
        let stage = Kitchen.stage()
        stage.press(.character("3"), .tab)
        stage.type("1")
        stage.press(.enter)
        #expect(
            stage.sent.map(\.payload) == [
                #"{"name":"","count":1,"tags":[],"stage":"raw","payment":{"cash":{}},"#
                    + #""isSpicy":false}"#
            ])
    }

    @Test func `several parameters are an array, also as JSON`() {
        let stage = Kitchen.stage()
        stage.press(.character("4"))
        stage.type("a")
        stage.press(.tab)
        stage.type("b")
        stage.press(.enter, .character("4"), .control("r"), .control("u"))
        stage.paste(#"["c"]"#)
        stage.press(.enter)
        #expect(stage.text.contains("an array of 2 arguments is needed"))
        stage.press(.backspace)
        stage.type(#", "d"]"#)
        stage.press(.enter)
        #expect(stage.sent.map(\.payload) == [#"["a","b"]"#, #"["c","d"]"#])
    }

    @Test func `broken JSON is said with its place, and nothing is sent`() {
        let stage = Kitchen.stage()
        stage.press(.character("4"), .control("r"), .control("u"))
        stage.type("[1,")
        stage.press(.enter)
        #expect(stage.text.contains("✗ byte 3"))
        #expect(stage.sent.isEmpty)
        #expect(stage.text.contains("─ Rename ─"))
        stage.press(.escape)
        #expect(stage.text.contains("4 Rename …  didRename(from:to:)"))
        #expect(!stage.text.contains("✗") && !stage.text.contains("─ Rename ─"))
    }

    @Test func `a type that contains itself ends in a line of JSON`() throws {
        let stage = Kitchen.stage()
        stage.press(.character("5"))
        #expect(stage.text.contains("─ Plant tree ─"))
        #expect(stage.text.contains("Tree as JSON"))
    }

    @Test func `a field that has a default is left out until it is wanted`() throws {
        let fields = ["rows", "columns"].map { FieldSchema(key: $0, type: "Int", hasDefault: true) }
        let types = [TypeSchema(name: "Size", kind: .structure, fields: fields)]
        let size = FormField("size", "Size", in: FormCatalog(types: types))
        #expect(size.value()?.text == "{}")
        #expect(size.parts.map(\.typeName) == ["Int?", "Int?"])
        size.parts[1].content = .optional(TypeReference("Int"), size.part("columns", .named("Int")))
        size.parts[1].parts[0].text = "80"
        #expect(size.value()?.text == #"{"columns":80}"#)
    }

    @Test func `JSON begins with what is written, also where something is wrong`() {
        let stage = Kitchen.stage(ScreenSize(width: 200, height: 30))
        stage.press(.character("3"))
        stage.type("Ribs")
        stage.press(.tab)
        stage.type("300")
        stage.press(.control("r"))
        #expect(
            stage.text.contains(
                #"{"name":"Ribs","count":null,"tags":[],"stage":"raw","payment":{"cash":{}},"#))
        // And nothing is said to be wrong before it was sent.
        stage.press(.control("r"))
        #expect(stage.text.contains("300_") && !stage.text.contains("✗"))
    }

    @Test func `a form goes with its node`() {
        let stage = Kitchen.stage()
        stage.press(.character("4"))
        stage.draw()
        stage.mounted.unmount(1)
        #expect(!stage.text.contains("didRename"))
    }

    @Test(arguments: [
        ("Int8", "-128", "-128"), ("Int8", "-129", nil), ("Int8", "127", "127"),
        ("Int8", "128", nil), ("UInt8", "255", "255"), ("UInt8", "256", nil), ("UInt8", "-1", nil),
        ("Int16", "-32768", "-32768"), ("Int16", "32768", nil), ("UInt16", "65536", nil),
        ("Int32", "-2147483649", nil), ("UInt32", "4294967295", "4294967295"),
        ("Int64", "9223372036854775807", "9223372036854775807"),
        ("Int64", "9223372036854775808", nil),
        ("Int", "-9223372036854775808", "-9223372036854775808"),
        ("UInt64", "18446744073709551615", "18446744073709551615"),
        ("UInt", "18446744073709551616", nil), ("Int", "1.5", nil), ("Int", "", nil),
        ("Int", " 7 ", "7"), ("Double", "2.5", "2.5"), ("Double", "2", "2.0"),
        ("Double", "nan", nil), ("Double", "inf", nil), ("Double", "x", nil),
        ("Float", "1e39", nil), ("Bool", "true", "true"), ("Bool", "yes", nil),
        ("String", " 肉 ", "\" 肉 \""), ("[UInt8]", "cmlicw==", "\"cmlicw==\""),
        ("[UInt8]", "", "\"\""), ("[UInt8]", "cml", nil), ("[UInt8]", "c=l=", nil),
        ("Sealed", #"{"a":[1]}"#, #"{"a":[1]}"#), ("Sealed", "{", nil),
    ])
    func `a scalar is checked against its type`(type: String, text: String, value: String?) {
        switch Scalar.value(of: text, as: type) {
        case .success(let datum): #expect(datum.text == value)
        case .failure(let problem):
            #expect(value == nil, "\(problem.text)")
            #expect(!problem.text.isEmpty)
        }
    }

    @Test func `any value is the same after it was read and written`() throws {
        for text in [
            "null", "true", "[1,-2,2.5,\"肉\",{}]", #"{"a":{"b":[]}}"#, "18446744073709551615",
        ] {
            let payload = Payload(try JSONToCBOR.transcode(Array(text.utf8)))
            #expect(try Datum(payload).payload == payload)
            #expect(try Datum(payload).text == text)
        }
        #expect(throws: CBORError.self) { try Datum(Payload([0xC0, 0x00])) }
        #expect(throws: CBORError.self) { try Datum(Payload([0x82, 0x00])) }
        #expect(try Datum(Payload([0xA1, 0x05, 0x06])).parts().map(\.key) == ["5"])
    }
}
