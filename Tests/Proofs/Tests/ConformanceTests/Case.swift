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
        lifecycle + routing + presenting + logs + events + cancellations + injection + work
        + ownPages

    /// The cases of one leaf and its parent, which are kept also where the leaf has a process.
    ///
    /// Not there: what a scenario sees of objects of its process (L, R, D, W, P5); children and
    /// pages of the leaf, which it cannot have (P7, F); a call that its parent makes, which has no
    /// way (E5).
    static let inProcess = Set(
        [1, 2, 3, 4, 6, 8, 9].map { "P\($0)" } + (1...7).map { "A\($0)" }
            + [1, 2, 3, 4, 6, 7, 8, 9, 10, 11, 12].map { "E\($0)" })

    /// How many cases each section of the specification has.
    static let sections: KeyValuePairs = [
        "L": 19, "R": 15, "P": 9, "A": 7, "E": 12, "D": 7, "W": 6, "F": 10,
    ]
}
