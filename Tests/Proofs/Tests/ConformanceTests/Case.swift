// Case: one promise of the pattern, and what must be seen of it over every link.

import ConformanceCases
import NapkinCore
import NapkinTesting
import Testing

/// A row of the matrix.
struct Case: Sendable, CustomTestStringConvertible {
    typealias Body = @MainActor @Sendable (SessionSetup) async throws -> [String]

    /// As the specification of the pattern numbers it, `L12`.
    let id: String
    let promise: String
    /// What must be noted, in order, whichever the link.
    let expected: [String]
    let body: Body

    var testDescription: String { "\(id): \(promise)" }

    /// A scenario that runs where the interactors are.
    ///
    /// - Parameter expected: what it notes; then, after `front:`, what a front mounts and unmounts.
    static func inWorker(_ id: String, _ promise: String, _ expected: [String]) -> Case {
        Case(id: id, promise: promise, expected: expected) { setup in
            try await setup.attach().run(id)
        }
    }

    /// A case that fronts drive; `body` returns what it noted.
    static func withFronts(
        _ id: String, _ promise: String, _ expected: [String], _ body: @escaping Body
    ) -> Case {
        Case(id: id, promise: promise, expected: expected, body: body)
    }

    static let all: [Case] =
        lifecycle + routing + presenting + logs + blobs + events + cancellations + injection + work
        + ownPages

    /// How many cases each section of the specification has.
    static let sections: KeyValuePairs = [
        "L": 19, "R": 15, "P": 8, "A": 6, "B": 6, "E": 12, "D": 7, "W": 6, "F": 10,
    ]
}
