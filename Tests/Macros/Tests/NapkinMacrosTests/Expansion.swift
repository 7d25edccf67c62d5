// Expansion: runs the macros on a piece of source, as the compiler would.

import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros
import SwiftSyntaxMacrosGenericTestSupport
import Testing

@testable import TestedMacros

let macros: [String: MacroSpec] = [
    "Append": MacroSpec(type: MarkMacro.self),
    "Crossing": MacroSpec(type: CrossingMacro.self),
    "Durable": MacroSpec(type: DurableMacro.self, conformances: ["DurableInteractable"]),
    "Effect": MacroSpec(type: MarkMacro.self),
    "Message": MacroSpec(
        type: MessageMacro.self, conformances: ["Codable", "Sendable", "DirectlyCodable"]),
    "Presented": MacroSpec(type: PresentedMacro.self),
    "presenter": MacroSpec(type: PresenterMacro.self),
    "Provisional": MacroSpec(type: MarkMacro.self),
    "ReportsChanges": MacroSpec(type: ReportsChangesMacro.self),
    "Secret": MacroSpec(type: MarkMacro.self),
    "Volatile": MacroSpec(type: VolatileMacro.self),
]

/// Compares an expansion with what is expected, line by line.
func expectExpansion(
    of source: String, _ expected: String, location: Testing.SourceLocation = #_sourceLocation
) {
    assertMacroExpansion(source, expandedSource: expected, macroSpecs: macros) { failure in
        Issue.record(Comment(rawValue: failure.message), sourceLocation: location)
    }
}

/// One refusal, flattened.
struct Finding: Equatable {
    var rule: String
    /// What is underlined.
    var place: String
    var message: String
    /// The source after each of the fix-its.
    var fixed: [String]
}

/// Expands `source` and returns what the macros refused, and the result.
func refusals(of source: String) -> (findings: [Finding], expanded: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
        sourceFiles: [file: .init(moduleName: "Tests", fullFilePath: "Tests.swift")])
    let expanded = file.expand(
        macroSpecs: macros,
        contextGenerator: { node in
            BasicMacroExpansionContext(
                sharingWith: context, lexicalContext: node.allMacroLexicalContexts())
        })
    let findings = context.diagnostics.map { diagnostic in
        Finding(
            rule: (diagnostic.diagMessage as? MacroDiagnostic)?.name ?? "",
            place: diagnostic.node.trimmedDescription,
            message: diagnostic.message,
            fixed: diagnostic.fixIts.map { apply($0, to: source) })
    }
    return (findings, expanded.description)
}

private func apply(_ fix: FixIt, to source: String) -> String {
    var result = source
    for case .replace(let old, let new) in fix.changes {
        guard let range = result.firstRange(of: old.description) else { continue }
        result.replaceSubrange(range, with: new.description)
    }
    return result
}

/// A source that breaks one rule.
struct Offence: CustomTestStringConvertible {
    var rule: String
    /// What is underlined.
    var place: String
    /// Words of the message that say what to do.
    var advice: String
    var source: String
    /// The source after each fix-it, in the order offered.
    var fixed: [String]

    init(
        _ rule: String, _ place: String, _ advice: String, _ source: String, fixed: [String] = []
    ) {
        (self.rule, self.place, self.advice) = (rule, place, advice)
        (self.source, self.fixed) = (source, fixed)
    }

    var testDescription: String { "\(rule): \(place)" }

    func check(location: Testing.SourceLocation = #_sourceLocation) {
        let (findings, expanded) = refusals(of: source)
        #expect(findings.count == 1, "\(findings)", sourceLocation: location)
        guard let finding = findings.first else { return }
        #expect(finding.rule == rule, sourceLocation: location)
        #expect(finding.place == place, sourceLocation: location)
        #expect(
            finding.message.contains(advice), "\(finding.message)", sourceLocation: location)
        #expect(finding.fixed == fixed, sourceLocation: location)
        // What was refused generates nothing.
        #expect(
            !expanded.contains("NapkinCore") && !expanded.contains("NapkinCoding"),
            sourceLocation: location)
    }
}
