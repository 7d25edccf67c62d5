// SessionProofTests: what a session promises, broken by the SessionProbe for a while.

import Foundation
import ProofSupport
import Testing

/// One after another: each has as many processes as the machine has patience for.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SessionProofTests {
    /// Chosen: ten or twenty seconds each. `make proofs`, `deaths` and `storm` take their time.
    @Test(arguments: [
        // Connections that break at any byte lose, double and reorder nothing.
        ("cuts", 2000),
        // Of two fronts that answer at the same instant one wins, and the other is told.
        ("race", 10_000),
        // Kills of daemon, worker and fronts leave what was acknowledged, and one worker.
        ("kills", 150),
        // Random kills leave what sessions, also in a database, have acknowledged and shown.
        ("deaths", 40), ("deaths --postgres", 30),
        // They survive their worker's end at any system call: some of thousands, at each level.
        ("calls", 10),
        // An event that ends its worker ends nothing but itself, in whatever way it does.
        ("poisons", 40),
        // Every call ends, and what is over leaves nothing.
        ("storm", 10),
    ])
    func `a session keeps its promises, whatever is broken`(proof: String, count: Int) async throws
    {
        try await proves(proof, count, by: proof == "storm" ? "--seconds" : "--count")
    }

    /// As root, where there is FUSE.
    @Test(.enabled(if: Namespace.hasFUSE))
    func `power cuts leave what durable sessions have acknowledged and shown`() async throws {
        try await proves("power", 16)
    }

    /// Some one step after another, and a fifth of them at the same time.
    @Test func `random sessions show, and end their events, as a plain model says`() async throws {
        // In two processes, which need no more of each other than a processor each.
        async let one: Void = proves("model", 1500)
        async let other: Void = proves("model", 1500)
        _ = try await (one, other)
    }

    /// Runs a proof in a directory that is cleaned up; it prints its seed.
    private func proves(
        _ proof: String, _ count: Int, by option: String = "--count"
    ) async throws {
        let words = proof.split(separator: " ").map(String.init)
        let place = Workplace()
        defer { place.cleanUp() }
        let probe = try Child(
            Product.path("SessionProbe"),
            words + [option, "\(count)", "--directory", place.directory])
        let (status, lines) = await probe.result()
        let text = lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(probe.errorText)")
        #expect(lines.contains { $0.hasPrefix("held       \(count) \(words[0])") }, "\(text)")
        print(text)
    }
}
