// Refusal: a rule that a declaration breaks, and the way out.
//
// Invariant  a declaration that was refused expands to nothing: one cause, one message.

import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Says what is wrong with a declaration and what to write instead.
struct Refusal: DiagnosticMessage {
    let name: String
    let message: String

    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "Napkin", id: name) }
}

/// The text of a fix-it.
struct Remedy: FixItMessage {
    let name: String
    let message: String

    var fixItID: MessageID { MessageID(domain: "Napkin", id: name) }
}

/// The mistakes found so far.
struct Refusals {
    private(set) var all: [Diagnostic] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func refuse(
        _ node: some SyntaxProtocol, _ name: String, _ message: String, _ fixes: [FixIt] = []
    ) {
        all.append(
            Diagnostic(
                node: Syntax(node), message: Refusal(name: name, message: message), fixIts: fixes))
    }

    func report(to context: some MacroExpansionContext) {
        for diagnostic in all { context.diagnose(diagnostic) }
    }
}

extension FixIt {
    static func replacing(
        _ old: some SyntaxProtocol, by new: some SyntaxProtocol, _ message: String
    ) -> FixIt {
        FixIt(
            message: Remedy(name: "replace", message: message),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
