// SafetyRules: what the compiler does not check is proved in a comment.

extension Rule {
    /// How many lines above a use its proof may end.
    static let proofLinesMax = 3

    static let safetyRules = SafetyBudget.rows.map { row in
        Rule(
            name: "each \(row.construct) has its proof",
            examples: [
                Example(
                    "// SAFETY: read once.\n// More of it.\n\n\n\(row.construct)\n"
                ),
                Example("\(row.construct) // SAFETY: never escapes.\n// \(row.construct)\n"),
                Example("\n\(row.construct)\n", broken: [2]),
                Example("// SAFETY: too far.\n\n\n\n\(row.construct)\n", broken: [5]),
                Example("Tests/XTests/A.swift", "\(row.construct)\n", broken: [1]),
                Example(
                    "// SAFETY: here and below.\n\(row.construct)\n\n\n\n\(row.construct)\n",
                    broken: row.isProvedOnce ? [] : [6]),
            ],
            check: { file in
                lines(of: row, in: file).compactMap { line in
                    guard !hasProof(near: line, in: file) else { return nil }
                    let what = "\(row.construct) without a `// SAFETY:` line"
                    let advice =
                        "prove it there, at most \(proofLinesMax) lines above, or do without"
                    return file.violation(line, what, do: advice)
                }
            })
    }

    /// The lines of the uses that need a proof.
    private static func lines(of row: SafetyBudget, in file: SourceFile) -> [Int] {
        let lines = occurrences(of: row.construct, in: file.code).map(file.line(at:))
        return row.isProvedOnce ? Array(lines.prefix(1)) : lines
    }

    /// Looks at the line itself and at the lines above; a comment that reaches into them counts
    /// as a whole.
    private static func hasProof(near line: Int, in file: SourceFile) -> Bool {
        var number = line
        while number >= 1 {
            let isNear = line - number <= proofLinesMax
            let goesOn = file.isCommentOnly(number) && file.isCommentOnly(number + 1)
            guard isNear || goesOn else { return false }
            let comment = Array(file.line(number, of: file.comments))
            if !occurrences(of: "SAFETY:", in: comment).isEmpty { return true }
            number -= 1
        }
        return false
    }

    /// How often a construct is used, in the code that ships and in the tests.
    static func count(_ construct: String, in files: [SourceFile]) -> (shipped: Int, tests: Int) {
        files.reduce(into: (0, 0)) { sum, file in
            let uses = occurrences(of: construct, in: file.code).count
            if file.isTest { sum.1 += uses } else { sum.0 += uses }
        }
    }
}
