// LedgerProofTests: a part of what `make proofs` does to journals, in processes of their own.

import Foundation
import ProofSupport
import Testing

/// One after another: each has a processor to itself.
@Suite(.serialized, .timeLimit(.minutes(180)))
struct LedgerProofTests {
    /// In memory: stores sync what they move, and how long that takes proves nothing.
    private let directory = TemporaryDirectory(in: "/dev/shm")

    /// A number of the environment.
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    private func proves(_ arguments: [String]) async throws {
        let probe = try Child(Product.path("LedgerProbe"), arguments)
        let (status, lines) = await probe.result()
        #expect(status == 0, "\(lines.suffix(3)) \(probe.errorText.suffix(2000))")
        #expect(lines.last?.hasPrefix("held ") == true, "\(lines.suffix(3))")
        print("ledger proof: \(lines.last ?? "")")
    }

    /// NAPKIN_STRIDE says otherwise: 1 is every byte.
    @Test func `a journal that is cut or flipped gives what was, or an error`() async throws {
        try await proves(["damage", directory.path, "\(Self.number("NAPKIN_STRIDE") ?? 2003)"])
    }

    /// The same with 1.4 MiB, with NAPKIN_STRIDE only. At every byte it would take a day.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["NAPKIN_STRIDE"] != nil))
    func `a journal of 1 MiB that is cut or flipped gives what was, or an error`()
        async throws
    {
        try await proves(["damage", directory.path, "499", "large"])
    }

    /// NAPKIN_POWER says otherwise: 1 is every call.
    @Test(arguments: ["machine", "process"])
    func `a power cut at any write or sync leaves what the level promises`(
        durability: String
    ) async throws {
        let stride = Self.number("NAPKIN_POWER") ?? 61
        let seed = Self.number("NAPKIN_SEED") ?? Int.random(in: 1...1_000_000)
        print("ledger proof: NAPKIN_SEED=\(seed)")
        try await proves(["power", directory.path, durability, "\(stride)", "\(seed)"])
    }
}
