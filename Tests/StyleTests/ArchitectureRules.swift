// ArchitectureRules: ARCHITECTURE.md is short, and a cited decision has a record.

import Foundation

extension Rule {
    static let architectureLinesMax = 200
    /// Lines of one record. Chosen: a page.
    static let decisionLinesMax = 40
    private static let decisions = "docs/decisions/"

    static let architectureRules = [
        Rule(
            name: "ARCHITECTURE.md is short",
            examples: [
                Example("ARCHITECTURE.md", String(repeating: "a\n", count: 200)),
                Example("ARCHITECTURE.md", String(repeating: "a\n", count: 201), broken: [201]),
            ],
            check: { file in
                guard file.path == "ARCHITECTURE.md", file.lineCount > architectureLinesMax else {
                    return []
                }
                let advice = "move what is not the shape of the whole to where it belongs"
                return [file.violation(file.lineCount, "too many lines", do: advice)]
            }),
        Rule(
            name: "a cited decision has a record",
            examples: [
                Example("// Decision 14 says why, and decision 12, too.\n"),
                Example("Makefile", "# decision 14\n"),
                Example("\n// See decision 1400.\n", broken: [2]),
            ],
            check: { file in
                let view = file.isSwift ? file.comments : file.bytes
                return ["decision ", "Decision "].flatMap { word in
                    occurrences(of: word, in: view).compactMap { offset in
                        let digits = view[(offset + word.utf8.count)...].prefix {
                            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        }
                        guard let number = Int(String(decoding: digits, as: UTF8.self)),
                            record(number) == nil
                        else { return nil }
                        return file.violation(
                            file.line(at: offset), "decision \(number) has no record",
                            do: "cite one of \(decisions), or write it")
                    }
                }
            }),
        Rule(
            name: "a decision is short, has three parts and stands in the index",
            examples: [
                Example(
                    decisions + "14-link-order.md",
                    "# 14. A\n\n**Context.** B.\n\n**Decision.** C.\n\n**Consequence.** D.\n"),
                Example(decisions + "README.md", "# Decisions\n"),
                Example(
                    decisions + "14-link-order.md",
                    "# 15. A\n\n**Context.** B.\n\n**Decision.** C.\n\n**Consequence.** D.\n",
                    broken: [1]),
                Example(
                    decisions + "14-link-order.md", "# 14. A\n\n**Context.** B.\n",
                    broken: [1, 1]),
                Example(
                    decisions + "14-kettle.md",
                    "# 14. A\n\n**Context.** B.\n\n**Decision.** C.\n\n**Consequence.** D.\n",
                    broken: [1]),
            ],
            check: { file in
                guard file.path.hasPrefix(decisions), let number = recordNumber(file.path)
                else { return [] }
                return recordDefects(file, number).map { file.violation(1, $0, do: "mend it") }
            }),
    ]

    // MARK: - Decisions

    private static func recordNumber(_ path: String) -> Int? {
        Int(path.dropFirst(decisions.count).prefix { $0.isNumber })
    }

    private static func record(_ number: Int) -> SourceFile? { records[number] }

    private static let records: [Int: SourceFile] = {
        let files = SourceTree.files.filter { $0.path.hasPrefix(decisions) }
        return Dictionary(
            files.compactMap { file in recordNumber(file.path).map { ($0, file) } },
            uniquingKeysWith: { first, _ in first })
    }()

    private static let index: String? = SourceTree.files
        .first { $0.path == decisions + "README.md" }
        .map { String(decoding: $0.bytes, as: UTF8.self) }

    private static func recordDefects(_ file: SourceFile, _ number: Int) -> [String] {
        var defects: [String] = []
        if !file.text(ofLine: 1).hasPrefix("# \(number). ") {
            defects.append("the title does not begin with \(number)")
        }
        let text = String(decoding: file.bytes, as: UTF8.self)
        for part in ["**Context.**", "**Decision.**", "**Consequence.**"]
        where !text.contains(part) {
            defects.append("\(part) is missing")
        }
        if file.lineCount > decisionLinesMax {
            defects.append("\(file.lineCount) lines, \(decisionLinesMax) are the limit")
        }
        if index?.contains("(\(file.path.dropFirst(decisions.count)))") != true {
            defects.append("the index does not name it")
        }
        return defects
    }
}
