// TypeDocumentation: a public type says in one line what it is.

extension Rule {
    /// Types only: a memberwise initialiser or a protocol's witness has nothing of its own to say,
    /// so that the formatter's rule, which wants a comment on each, is off.
    static let typeDocumentation = Rule(
        name: "a public type has documentation",
        examples: [
            Example("/// A.\n@MainActor\npublic protocol A {}\npublic func a() {}\nstruct B {}\n"),
            Example("/// A.\n// SAFETY: x.\n@frozen public struct A {}\n"),
            Example(
                "/// A.\n@attached(\n    extension, conformances: B,\n    // C.\n"
                    + "    names: named(d(e:)), suffixed(F))\npublic macro a() = #b\n"),
            Example("import A\n@attached(\n    peer)\npublic macro a() = #b\n", broken: [4]),
            Example("/// A.\nlet a = b(\n    c)\npublic struct A {}\n", broken: [4]),
            Example("import A\n\npublic final class A {}\n", broken: [3]),
            Example("// A.\nopen class A {}\npublic macro a() = #b\n", broken: [2, 3]),
            Example("Tests/XTests/A.swift", "public struct A {}\n"),
        ],
        check: { file in
            guard file.path.hasPrefix("Sources/") || file.path.hasPrefix("Protocol/") else {
                return []
            }
            let lines = ["public", "open"].flatMap { occurrences(of: $0, in: file.code) }
                .map(file.line(at:))
            return Set(lines).sorted().compactMap { number in
                let line = String(decoding: file.line(number, of: file.code), as: UTF8.self)
                guard declaresType(line), !hasDocumentation(above: number, in: file) else {
                    return nil
                }
                let what = "a public type without documentation"
                return file.violation(number, what, do: "say in a `///` line what it is")
            }
        })

    private static func declaresType(_ line: String) -> Bool {
        let kinds: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "macro"]
        let modifiers: Set<Substring> = ["public", "open", "final", "indirect", "nonisolated"]
        let words = line.split(separator: " ").drop { $0.hasPrefix("@") || modifiers.contains($0) }
        // `class func` is no class.
        return words.first.map(kinds.contains) ?? false && words.dropFirst().first != "func"
    }

    /// Comments and attributes may stand between; an attribute may go over several lines.
    private static func hasDocumentation(above line: Int, in file: SourceFile) -> Bool {
        var number = line - 1
        // Parentheses that are closed below this line and opened further up.
        var depth = 0
        while number >= 1 {
            let text = file.text(ofLine: number).drop { $0 == " " }
            if depth == 0, text.hasPrefix("///") { return true }
            for byte in file.line(number, of: file.code) {
                if byte == UInt8(ascii: ")") { depth += 1 }
                if byte == UInt8(ascii: "(") { depth -= 1 }
            }
            guard depth > 0 || text.hasPrefix("//") || text.hasPrefix("@") else { return false }
            number -= 1
        }
        return false
    }
}
