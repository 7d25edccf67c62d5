// SessionProofTests: what a session promises, as often as the SessionProbe breaks it.

import Foundation
import ProofSupport
import Testing

/// One after another: each has as many processes as the machine has patience for.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct SessionProofTests {
    /// NAPKIN_CUTS says otherwise.
    @Test func `connections that break at any byte lose, double and reorder nothing`()
        async throws
    {
        try await proves("cuts", Self.number("NAPKIN_CUTS") ?? 10_000)
    }

    /// NAPKIN_RACES says otherwise.
    @Test func `of two fronts that answer at the same instant one wins, and the other is told`()
        async throws
    {
        try await proves("race", Self.number("NAPKIN_RACES") ?? 10_000)
    }

    /// NAPKIN_KILLS says otherwise.
    @Test func `kills of daemon, worker and fronts leave what was acknowledged, and one worker`()
        async throws
    {
        try await proves("kills", Self.number("NAPKIN_KILLS") ?? 1000)
    }

    /// NAPKIN_DEATHS says otherwise.
    @Test func `random kills leave what durable sessions have acknowledged and shown`()
        async throws
    {
        try await proves("deaths", Self.number("NAPKIN_DEATHS") ?? 100)
    }

    /// As root, where there is FUSE; NAPKIN_POWER_CUTS says otherwise.
    @Test(.enabled(if: Namespace.hasFUSE))
    func `power cuts leave what durable sessions have acknowledged and shown`() async throws {
        try await proves("power", Self.number("NAPKIN_POWER_CUTS") ?? 16)
    }

    /// So many of some thousand calls, for each level; NAPKIN_CALLS says otherwise.
    @Test func `a durable session survives its worker's end at any system call`() async throws {
        try await proves("calls", Self.number("NAPKIN_CALLS") ?? 20)
    }

    /// `make storm` takes an hour; NAPKIN_STORM says how many seconds this one takes.
    @Test func `in a storm every call ends, and what is over leaves nothing`() async throws {
        try await proves("storm", Self.number("NAPKIN_STORM") ?? 15, by: "--seconds")
    }

    /// So many one step after another, and a fifth of them at the same time; NAPKIN_CASES says
    /// otherwise.
    @Test func `random sessions show, and end their events, as a plain model says`() async throws {
        // In two processes, which need no more of each other than a processor each.
        let half = max(1, (Self.number("NAPKIN_CASES") ?? 10_000) / 2)
        let seed = Self.number("NAPKIN_SEED") ?? Int.random(in: 1...1_000_000_000)
        async let one: Void = proves("model", half, seed: seed)
        async let other: Void = proves("model", half, seed: seed + half)
        _ = try await (one, other)
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

    @Test func `the probe refuses a count that proves nothing`() async throws {
        let probe = try Child(Product.path("SessionProbe"), ["cuts", "--count", "0"])
        #expect(await probe.exit() == 64)
    }

    /// A number of the environment.
    private static func number(_ name: String) -> Int? {
        ProcessInfo.processInfo.environment[name].flatMap(Int.init)
    }

    /// Runs a proof in a directory that is cleaned up; NAPKIN_SEED repeats one.
    private func proves(
        _ proof: String, _ count: Int, by option: String = "--count", seed: Int? = nil
    ) async throws {
        let place = Workplace()
        defer { place.cleanUp() }
        let seed = (seed ?? Self.number("NAPKIN_SEED")).map { ["--seed", "\($0)"] } ?? []
        let probe = try Child(
            Product.path("SessionProbe"),
            [proof, option, "\(count)", "--directory", place.directory] + seed)
        let (status, lines) = await probe.result()
        let text = lines.joined(separator: "\n")
        #expect(status == 0, "\(text)\n\(probe.errorText)")
        #expect(lines.contains { $0.hasPrefix("held       \(count) \(proof)") }, "\(text)")
        print(text)
    }
}
