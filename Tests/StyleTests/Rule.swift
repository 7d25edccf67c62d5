// Rule: one thing that every file must keep, with a snippet that breaks it.

import Testing

/// A rule is tried twice: on every file of the repository, where it must find nothing, and on its
/// own examples, where it must find exactly the lines that are named.
struct Rule: Sendable, CustomTestStringConvertible {
    let name: String
    let examples: [Example]
    let check: @Sendable (SourceFile) -> [Violation]

    var testDescription: String { name }

    struct Example: Sendable {
        let path: String
        let text: String
        /// The lines where the rule must find something; none when the snippet is right.
        let broken: [Int]

        init(_ path: String, _ text: String, broken: [Int] = []) {
            self.path = path
            self.text = text
            self.broken = broken
        }

        /// A file of a target that the rules know.
        init(_ text: String, broken: [Int] = []) {
            self.init("Sources/Runtime/NapkinCore/A.swift", text, broken: broken)
        }
    }

    static let all: [Rule] = [
        shapeRules, headRules, [isolation, summary], [functionLength], importRules, safetyRules,
        honestyRules, [printing, guideline, frontDefault, mandatory], referenceRules,
        architectureRules, [typeDocumentation],
    ].flatMap { $0 }
}
