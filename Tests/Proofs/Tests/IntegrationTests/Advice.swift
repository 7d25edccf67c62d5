// Advice: what a program says when it cannot do what was asked: one sentence, and an exit status.

import Foundation
import ProofSupport
import Testing

extension Workplace {
    /// Runs napkin-client, which must fail with this status and one sentence with these words.
    func fails(
        _ arguments: [String], socket: String? = nil, _ status: Int32, saying words: [String],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let result = try await run(arguments, socket: socket)
        #expect(result.status == status, sourceLocation: location)
        expectAdvice(result.errors, from: "napkin-client", words, at: location)
    }

    /// Runs napkind, which must refuse to start with this status and one sentence.
    func refuses(
        _ arguments: [String], _ status: Int32, saying words: [String],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let child = try Child(Product.path("napkind"), arguments, environment: environment)
        #expect(await child.exit() == status, sourceLocation: location)
        expectAdvice(await child.allErrors(), from: "napkind", words, at: location)
    }
}

/// One line of one sentence that begins with the program's name and has all of these words.
func expectAdvice(
    _ text: String, from program: String, _ words: [String],
    at location: SourceLocation = #_sourceLocation
) {
    #expect(text.hasPrefix("\(program): "), "\(text)", sourceLocation: location)
    let lines = text.split(separator: "\n")
    #expect(lines.count == 1, "\(text)", sourceLocation: location)
    let sentences = text.components(separatedBy: ". ").count
    #expect(sentences == 1, "more than a sentence: \(text)", sourceLocation: location)
    for word in words {
        #expect(text.contains(word), "\(word) is not in: \(text)", sourceLocation: location)
    }
}

/// The child ends with status 0; what it says if not.
func expectSuccess(
    _ child: Child, at location: SourceLocation = #_sourceLocation
) async {
    let status = await child.exit()
    guard status != 0 else { return }
    let errors = await child.allErrors()
    Issue.record("status \(status): \(errors)", sourceLocation: location)
}
