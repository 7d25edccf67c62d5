// HeadRules: the first lines of a file say what it is, and in whose hands.

import Foundation

extension Rule {
    private static let wholeHead = """
        // A: turns bytes into frames, one after the other, however
        // they are split.
        //
        // Isolation  value; owned by one link.
        // Spec       Protocol/SPEC.md, section 5
        struct A {}
        """

    static let headRules = [
        Rule(
            name: "the first line names the file in one sentence",
            examples: [
                Example(wholeHead),
                Example("Tests/XTests/FrameTests.swift", "// FrameTests: limits at ±1.\n"),
                Example("// Decoder: decodes.\nenum A {}\nfinal actor Decoder {}"),
                Example("Tests/XTests/Reader+Items.swift", "// Reader items: one by one.\n"),
                Example("// B: another name.\nstruct A {}", broken: [1]),
                Example("// A: no full stop\n//\n", broken: [1]),
                Example("import B\n", broken: [1]),
            ],
            check: { file in
                guard file.isSwift, !file.isPackage else { return [] }
                let form = "begin with `// \(file.baseName): one sentence.`"
                let first = file.text(ofLine: 1)
                guard first.hasPrefix("// "), let colon = first.range(of: ": ") else {
                    return [file.violation(1, "no head", do: form)]
                }
                let name = first[..<colon.lowerBound].dropFirst(3)
                guard isName(String(name), of: file) else {
                    let what =
                        "the head names `\(name)`, which is neither the file nor a type in it"
                    return [file.violation(1, what, do: form)]
                }
                let sentence = head(of: file).prefix { $0 != "//" }.joined(separator: " ")
                guard ".?!".contains(sentence.last ?? " ") else {
                    return [file.violation(1, "the head's sentence does not end", do: form)]
                }
                return []
            }),
        Rule(
            name: "the head's labels say what folder and code do not",
            examples: [
                Example(wholeHead),
                Example("// A: x.\n"),
                Example("// A: x.\n//\n// Layer  core. Pure.\n"),
                Example("// A: x.\n//\n// Isolation  @MainActor; the store is read elsewhere.\n"),
                Example("// A: x.\n//\n// Spec  section 6\n// Layer  core\n", broken: [4]),
                Example("// A: x.\n//\n// Layer  core, cells.\n", broken: [3]),
                Example("// A: x.\n//\n// Isolation  value\n", broken: [3]),
                Example("// A: x.\n//\n// Isolation  @MainActor: the loop thread.\n", broken: [3]),
            ],
            check: { file in
                guard file.isSwift else { return [] }
                let lines = head(of: file)
                return lines.indices.compactMap { index in
                    let isContinued = lines.dropFirst(index + 1).first?.hasPrefix("//   ") == true
                    guard !isContinued, isPlain(lines[index]) else { return nil }
                    return file.violation(
                        index + 1, "`\(lines[index])` says nothing new", do: "remove the line")
                }
            }),
    ]

    /// What nearly every file would say.
    private static let plainIsolations: Set<String> = [
        "value", "none of its own", "@MainActor", "@MainActor: the loop thread",
        "@MainActor; values", "@MainActor; a value", "actor (loop executor)", "actor (default)",
    ]

    private static func isPlain(_ line: String) -> Bool {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count == 3 else { return false }
        let text = words[2].drop { $0 == " " }
        switch words[1] {
        case "Layer": return !text.contains(". ") && !text.contains("; ")
        case "Isolation":
            let said = text.hasSuffix(".") ? text.dropLast() : text
            return plainIsolations.contains(String(said))
        default: return false
        }
    }

    /// The comment lines that the file begins with.
    private static func head(of file: SourceFile) -> [String] {
        var lines: [String] = []
        for number in 1...file.lineCount {
            let line = file.text(ofLine: number)
            guard line.hasPrefix("//"), !line.hasPrefix("///") else { break }
            lines.append(line.trimmingCharacters(in: .whitespaces))
        }
        return lines
    }

    /// The file's own name, `Reader items` for `Reader+Items`, or a type that the file declares.
    private static func isName(_ name: String, of file: SourceFile) -> Bool {
        let words = file.baseName.replacingOccurrences(of: "+", with: " ")
        return name == file.baseName || name.lowercased() == words.lowercased()
            || declares(name, in: file)
    }

    private static func declares(_ name: String, in file: SourceFile) -> Bool {
        let keywords = [
            "struct", "class", "enum", "actor", "protocol", "extension", "typealias", "macro",
            "func",
        ]
        return keywords.contains { !occurrences(of: "\($0) \(name)", in: file.code).isEmpty }
    }
}
