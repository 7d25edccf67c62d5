// ConformanceTests: every promise of the pattern over every link, printed as a matrix.

import Testing

/// One after another: they share the loop and a daemon whose worker one of them kills, and the rows
/// come in order.
@MainActor
@Suite(.serialized)
enum AllLinks {}

extension AllLinks {
    @MainActor
    @Suite(.serialized, .timeLimit(.minutes(5)))
    struct ConformanceTests {
        @Test(arguments: Case.all)
        func `promise kept over every link`(_ row: Case) async throws {
            var marks: [String] = []
            for kind in LinkKind.allCases {
                guard kind != .process || Case.inProcess.contains(row.id) else {
                    marks.append("–")
                    continue
                }
                let setup = try await SessionSetup(kind, row.id)
                let seen = try await row.body(setup)
                await setup.end()
                #expect(seen == row.expected, "\(row.id) over the \(kind.rawValue) link")
                marks.append(seen == row.expected ? "ok" : "FAILED")
            }
            print(Matrix.row(row.id, row.promise, marks))
        }

        @Test func `no case is missing and none is there twice`() {
            let wanted = Case.sections.flatMap { section, count in
                (1...count).map { "\(section)\($0)" }
            }
            #expect(Case.all.map(\.id).sorted() == wanted.sorted())
        }
    }
}

/// The rows that `make conformance` shows.
enum Matrix {
    static func row(_ id: String, _ promise: String, _ marks: [String]) -> String {
        let text = promise.count > 68 ? promise.prefix(67) + "…" : promise[...]
        return "| " + pad(id, 4) + pad(String(text), 68) + " "
            + marks.map { "| " + pad($0, 9) }.joined() + "|"
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
