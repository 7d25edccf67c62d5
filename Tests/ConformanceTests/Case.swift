// Case: one promise of the pattern, and what must be seen of it over every link.

import ConformanceCases
import NapkinCore
import NapkinTesting
import Testing

/// A row of the matrix.
struct Case: Sendable, CustomTestStringConvertible {
    typealias Body = @MainActor @Sendable (House) async throws -> [String]

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
        Case(id: id, promise: promise, expected: expected) { house in
            let guest = try await house.attach()
            _ = guest.journal.take()
            let lines = try await guest.stand.run(id)
            // States are left out: how many of one moment arrive depends on the link.
            let seen = guest.journal.take().filter { $0.hasPrefix("+") || $0.hasPrefix("-") }
            return seen.isEmpty ? lines : lines + ["front:"] + seen
        }
    }

    /// A case that fronts drive; `body` returns what it noted.
    static func withFronts(
        _ id: String, _ promise: String, _ expected: [String], _ body: @escaping Body
    ) -> Case {
        Case(id: id, promise: promise, expected: expected, body: body)
    }

    static let all: [Case] = lifecycle + presenting + events + work

    /// How many cases each section of the specification has.
    static let sections: KeyValuePairs = ["L": 19, "P": 8, "E": 7, "W": 6]
}
