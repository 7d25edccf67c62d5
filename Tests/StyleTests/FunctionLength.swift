// FunctionLength: a function has at most so many lines.

extension Rule {
    static let linesPerFunctionMax = 70

    private static func function(lines: Int, of head: String = "func f<T>(a: Int = { 1 }())")
        -> String
    {
        "\(head) where T: P {" + String(repeating: "\n", count: lines - 1) + "}\n"
    }

    static let functionLength = Rule(
        name: "a function has at most \(linesPerFunctionMax) lines",
        examples: [
            Example(function(lines: 70)),
            Example(function(lines: 71), broken: [1]),
            Example(
                "struct A {\n" + function(lines: 71, of: "    init?(a: Int)") + "}", broken: [2]),
            Example(
                "protocol P {\n    func f() async\n    init()\n}\nenum E {" + function(lines: 60)),
            Example(
                "protocol P {\n    func f() -> Int\n    var x: Int { get }\n}\nenum E {\n"
                    + String(repeating: "\n", count: 80) + "}"),
            Example(
                "func f() {\n  \"\"\"\n  {{{ \\(a.map { \"}\" }) \"\n  \"\"\"\n"
                    + "  self.init(b)\n}\nenum E {\n"
                    + String(repeating: "\n", count: 80) + "}"),
        ],
        check: { file in
            guard file.isSwift else { return [] }
            return ["func", "init", "deinit", "subscript"].flatMap { keyword in
                occurrences(of: keyword, in: file.code).compactMap { start in
                    guard let end = end(ofFunctionAt: start, keyword, in: file.code) else {
                        return nil
                    }
                    let first = file.line(at: start)
                    let count = file.line(at: end) - first + 1
                    guard count > linesPerFunctionMax else { return nil }
                    let what = "a function of \(count) lines, \(linesPerFunctionMax) are the limit"
                    return file.violation(first, what, do: "name its parts and call them")
                }
            }
        })

    /// The offset of the brace that ends a declaration's body; `nil` when it has none.
    private static func end(ofFunctionAt start: Int, _ keyword: String, in code: [UInt8]) -> Int? {
        // `self.init(…)`, `.subscript`: a use, not a declaration.
        if start > 0, code[start - 1] == UInt8(ascii: ".") { return nil }
        guard let opening = bodyOpening(from: start + keyword.utf8.count, in: code) else {
            return nil
        }
        var depth = 0
        for index in opening..<code.count {
            switch code[index] {
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "}"):
                depth -= 1
                if depth == 0 { return index }
            default: break
            }
        }
        return nil
    }

    /// The first brace outside of parentheses, unless the declaration ends before it: at a closing
    /// brace, or at a line that begins with a name which does not go on with a signature.
    private static func bodyOpening(from start: Int, in code: [UInt8]) -> Int? {
        let goesOn: Set<String> = ["async", "throws", "rethrows", "where", "reasync"]
        var depth = 0
        var isLineStart = false
        var previous: UInt8 = .space
        var index = start
        while index < code.count {
            let byte = code[index]
            defer { index += 1 }
            switch byte {
            case .newline: isLineStart = true
            case .space: break
            case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "{") where depth == 0: return index
            case UInt8(ascii: "}") where depth == 0: return nil
            case _ where depth == 0 && isLineStart && (byte.isWord || byte == UInt8(ascii: "@")):
                let word = String(decoding: code[index...].prefix { $0.isWord }, as: UTF8.self)
                let isOpen = "><,:&=".utf8.contains(previous)
                if !isOpen, !goesOn.contains(word) { return nil }
            default: break
            }
            if byte != .newline, byte != .space {
                isLineStart = false
                previous = byte
            }
        }
        return nil
    }
}
