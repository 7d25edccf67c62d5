// EmptyWordTests: a value that a shell has left empty is refused, by both programs.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct EmptyWordTests {
    private let place = Workplace()

    @Test func `both programs refuse it`() async throws {
        let others = ["--socket", place.socket, "--state-dir", place.state]
        for option in ["--socket", "--state-dir", "--ready-fd", "--log-level", "--apps"] {
            for words in [[option, ""], ["\(option)="]] {
                try await place.refuses(
                    others + words, 64, saying: [option, "followed by nothing"])
            }
        }
        for words in [["kill", ""], ["attach", "rib-house", "--session", ""], [""]] {
            let child = try Child(Product.path("napkin-client"), words)
            #expect(await child.exit() == 64, "\(words)")
            expectAdvice(await child.allErrors(), from: "napkin-client", [])
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory).isEmpty)
    }
}
