// LoopProbeTests: the installed executors, seen from outside through the probe's lines.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct LoopProbeTests {
    private struct Line: Decodable {
        let check: String
        let ok: Bool
        let detail: String
    }

    @Test func `where the loop is the main executor, every check of the probe passes`()
        async throws
    {
        let (status, lines) = try await Child(Product.path("LoopProbe"), []).result()
        #expect(status == 0)
        #expect(lines.count == 15)
        for text in lines {
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            #expect(line.ok, "\(line.check): \(line.detail)")
        }
    }
}
