// HostileProbeTests: what nobody should do to a daemon, some thousand times.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HostileProbeTests {
    /// Chosen: some seconds each. `make hostile` sends a million sequences, and frames near 16 MiB;
    /// `make pairs` does each pair 10,000 times.
    @Test(arguments: [
        // Senseless sequences are answered or end their connection, and leave nothing.
        ("--count 12000 --interval 3000 --seed 20260", "12000 sequences"),
        // Of each two things that are done with a session nothing is left.
        ("pairs --cycles 6", "6 cycles of 225 pairs"),
        // What is too large, unfinished or no name is answered in few words, or ended.
        ("sizes --lengths 65536 --races 20", "door, worker, unfinished, names, races"),
    ])
    func `S18: what is senseless, at the limits or done at once is answered, and leaves nothing`(
        words: String, held: String
    ) async throws {
        let probe = try Child(
            Product.path("HostileProbe"), words.split(separator: " ").map(String.init))
        let (status, lines) = await probe.result()
        let text = lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(probe.errorText)")
        #expect(text.contains("held       \(held)"), "\(text)")
        print(text)
    }

    @Test(arguments: [("HostileProbe", []), ("SessionProbe", ["cuts"])] as [(String, [String])])
    func `a probe refuses a count that proves nothing`(name: String, words: [String]) async throws {
        let probe = try Child(Product.path(name), words + ["--count", "0"])
        #expect(await probe.exit() == 64)
    }

    /// `napkin-bench slow-front` stops it for half a minute, and times the other front, too.
    @Test func `S15: a front that is stopped does not make its worker grow`() async throws {
        let bench = try Child(
            Product.path("napkin-bench"), ["slow-front", "--states", "50000", "--seconds", "3"])
        let (_, line) = try await bench.line { $0.contains("slow-front") }
        let report = try JSON.object(line)
        let growth = try #require(report["worker_growth_kib"] as? Double)
        #expect(growth < 1024, "\(line)")
        #expect(await bench.exit() == 0)
        print(line)
    }
}
