// SwiftScannerTests: code, comments and strings are told apart.

import Testing

@Suite struct SwiftScannerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let code: String
        var testDescription: String { text }
    }

    /// In `code`, what is not code is a `.`; spaces and line breaks stay as they are.
    static let cases = [
        Case(text: #"a // b"#, code: #"a ...."#),
        Case(text: #"a /* b /* c */ d */ e"#, code: #"a ................. e"#),
        Case(text: #"f("x\"y", 1)"#, code: #"f(......, 1)"#),
        Case(text: #"f("a\(b("c"))d" + e)"#, code: #"f(....b(...)... + e)"#),
        Case(text: ##"f(#"a"b\(c)"#)"##, code: ##"f(...........)"##),
        Case(text: ##"f(#"a\#(b)c"#)"##, code: ##"f(......b....)"##),
        Case(text: "\"\"\"\n\"a\" {\n\"\"\" + b", code: "...\n.....\n... + b"),
        Case(text: #"let r = /"{\/}/ ; a / b / c"#, code: #"let r = ....... ; a / b / c"#),
        Case(text: ##"let r = #/a"b/# + c"##, code: ##"let r = ....... + c"##),
        Case(text: "func `a { b`() {}", code: "func xxxxxxx() {}"),
        Case(text: "#if A\nb\n#endif", code: "#if A\nb\n#endif"),
    ]

    @Test(arguments: cases)
    func `what is not code is blank`(_ example: Case) {
        let code = SwiftScanner.views(of: Array(example.text.utf8)).code
        let expected = example.code.replacing(".", with: " ")
        let found = String(decoding: code, as: UTF8.self)
        #expect(found.filter { $0 != " " } == expected.filter { $0 != " " })
        #expect(found.count == example.text.count)
    }

    @Test func `a file that ends in the middle of anything is read to its end`() {
        let text = Array(##"a(#"b\#("c" /* d */ "e\"#)" /x/ `f` """ g \("##.utf8)
        for end in 0...text.count {
            let views = SwiftScanner.views(of: Array(text[..<end]))
            #expect(views.code.count == end)
            #expect(views.comments.count == end)
        }
    }
}
