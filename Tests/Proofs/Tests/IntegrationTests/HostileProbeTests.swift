// HostileProbeTests: what nobody should do to a daemon, some thousand times.

import Foundation
import ProofSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HostileProbeTests {
    /// `make hostile` sends a million; this many take some seconds.
    @Test func `senseless sequences are answered or end their connection, and leave nothing`()
        async throws
    {
        let text = try await holds(["--count", "12000", "--interval", "3000", "--seed", "20260"])
        #expect(text.contains("held       12000 sequences"), "\(text)")
    }

    /// `make pairs` does each 10,000 times; this often takes some seconds.
    @Test func `of each two things that are done with a session nothing is left`() async throws {
        let text = try await holds(["pairs", "--cycles", "6"])
        #expect(text.contains("held       6 cycles of 225 pairs"), "\(text)")
    }

    /// `make hostile` has frames near 16 MiB, too.
    @Test func `S18: what is too large, unfinished or no name is answered in few words, or ended`()
        async throws
    {
        let text = try await holds(["sizes", "--lengths", "65536", "--races", "20"])
        #expect(text.contains("held       door, worker, unfinished, names, races"), "\(text)")
    }

    /// Runs the probe; returns what it has said.
    private func holds(_ arguments: [String]) async throws -> String {
        let probe = try Child(Product.path("HostileProbe"), arguments)
        let (status, lines) = await probe.result()
        let text = lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(probe.errorText)")
        print(text)
        return text
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
