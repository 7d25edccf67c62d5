// Source: the text of generated declarations, indented as it grows.

/// Lines of Swift. Text reads better than a syntax tree for code that people will look at.
struct Source {
    private var lines: [String] = []
    private var depth = 0

    var text: String { lines.joined(separator: "\n") }

    mutating func line(_ text: String = "") {
        lines.append(text.isEmpty ? "" : String(repeating: "    ", count: depth) + text)
    }

    /// Indents the lines that `body` adds.
    mutating func indented(_ body: (inout Source) -> Void) {
        depth += 1
        body(&self)
        depth -= 1
    }

    /// Adds `head {`, the lines of `body`, `}` and `tail`.
    mutating func block(_ head: String, tail: String = "", _ body: (inout Source) -> Void) {
        line(head + " {")
        indented(body)
        line("}" + tail)
    }

    /// Adds `switch subject {`, the cases of `body`, and `}`.
    mutating func choose(_ subject: String, label: String? = nil, _ body: (inout Source) -> Void) {
        line("\(label.map { "\($0): " } ?? "")switch \(subject) {")
        body(&self)
        line("}")
    }

    /// Adds `do {`, the lines of `body`, `} catch {`, the lines of `recovery`, and `}`.
    mutating func attempt(
        throws error: String? = nil,
        _ body: (inout Source) -> Void, catch recovery: (inout Source) -> Void
    ) {
        line("do \(error.map { "throws(\($0)) " } ?? ""){")
        indented(body)
        block("} catch", recovery)
    }
}
