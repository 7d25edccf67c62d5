// ReachSimulationTests: owners of journals on many machines, which die, pause and are cut off.

import Foundation
import TestSupport
import Testing

@Suite struct ReachSimulationTests {
    /// A part of every run; `make reach-simulation` has the sizes of NAPKIN_REACH.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `no fault of machines loses, doubles or reorders a group`(seed: UInt64) {
        let figures = ReachWorld.run(
            .init(
                machines: 10, placesEach: 20, faultSeconds: 30, lossPerMillion: 1000, outage: 60,
                seed: seed))
        #expect(figures.failures.isEmpty)
        #expect(figures.refused > 0 && figures.commits > 1000)
        #expect(figures.deaths > 0 && figures.pauses > 0 && figures.cuts > 0)
        // Whoever waits for a dead owner waits for its lease at least.
        #expect(figures.takeOvers.count > 200)
    }

    @Test func `a database that admits any epoch is found out`() {
        let figures = ReachWorld.run(
            .init(machines: 10, placesEach: 20, faultSeconds: 30, admitsAnyEpoch: true))
        #expect(!figures.failures.isEmpty)
    }

    private static var sizes: [Int] {
        ProcessInfo.processInfo.environment["NAPKIN_REACH"]?.split(separator: " ")
            .compactMap { Int($0) } ?? []
    }

    private static var seed: UInt64 {
        ProcessInfo.processInfo.environment["NAPKIN_SEED"].flatMap(UInt64.init) ?? 1
    }

    @Test(.enabled(if: !sizes.isEmpty))
    func `many machines, as many as are asked for`() {
        print(
            "| machines | places | faults | take-over p50, p99, longest, s | statements/s, mean, "
                + "most | commits | refused | lost, doubled, reordered |")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        for machines in Self.sizes {
            let figures = ReachWorld.run(
                .init(machines: machines, placesEach: 100, outage: 100, seed: Self.seed))
            print(Self.row(machines, figures))
            #expect(figures.failures.isEmpty)
        }
    }

    private static func row(_ machines: Int, _ figures: ReachWorld.Figures) -> String {
        let waits = figures.takeOvers.sorted()
        func seconds(_ share: Double) -> String {
            guard let last = waits.indices.last else { return "-" }
            return "\(Double(waits[Int(Double(last) * share)]) / 1000)"
        }
        // The first seconds open everything.
        let counts = figures.statements.dropFirst(10)
        let mean = counts.reduce(0, +) / max(1, counts.count)
        let faults = figures.deaths + figures.pauses + figures.cuts
        return "| \(machines) | \(machines * 100) | \(faults) | \(seconds(0.5)), "
            + "\(seconds(0.99)), \(seconds(1)) | \(mean), \(counts.max() ?? 0) | "
            + "\(figures.commits) | \(figures.refused) | \(figures.failures.count) |"
    }
}
