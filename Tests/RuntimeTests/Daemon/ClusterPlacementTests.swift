// ClusterPlacementTests: on which machine a session goes on, and where a new one begins.

import NapkinLedger
import Testing

@testable import NapkinDaemon

struct ClusterPlacementTests {
    private typealias Decision = ClusterPlacement.Decision

    private func candidate(
        _ number: Int, _ machine: String? = nil, isHeld: Bool = true
    ) -> ClusterPlacement.Candidate {
        let owner = machine.map { ClusterPlacement.Owner(machine: $0, isHeld: isHeld) }
        return .init(number: number, journal: "till~\(number)", owner: owner)
    }

    @Test func `a session is where its journal is held, and otherwise here`() {
        let here = ClusterPlacement(machine: "a", others: ["b", "c"])
        #expect(here.existing(on: candidate(1)) == .here([1]))
        #expect(here.existing(on: candidate(1, "a")) == .here([1]))
        #expect(here.existing(on: candidate(1, "b")) == .there(machine: "b"))
        #expect(here.existing(on: candidate(1, "b", isHeld: false)) == .here([1]))
    }

    @Test func `fronts leave a silent worker when its lease ends, if another machine is there`() {
        let here = ClusterPlacement(machine: "a", others: ["b"])
        #expect(here.silent(on: candidate(1, "a")) == .here([1]))
        #expect(here.silent(on: candidate(1, "b")) == .there(machine: "b"))
        #expect(here.silent(on: candidate(1, "a", isHeld: false)) == .there(machine: "b"))
        let alone = ClusterPlacement(machine: "a")
        #expect(alone.silent(on: candidate(1, "a", isHeld: false)) == .nowhere)
    }

    @Test func `a new session takes what this machine has, and its share of what nobody has`() {
        let here = ClusterPlacement(machine: "a", others: ["b"])
        let all = [
            candidate(1, "b"), candidate(2), candidate(3, "a"), candidate(4, "c", isHeld: false),
        ]
        #expect(here.new("s", among: all) == .here([3, 2]))
        #expect(here.new("s", among: all.filter { $0.number != 3 }) == .here([2, 4]))
        #expect(here.new("s", among: [candidate(1, "a"), candidate(2)]) == .here([1]))
        #expect(here.new("s", among: [candidate(1, "b")]) == .there(machine: "b"))
        // Alone, it has all of them, and so each of its cores.
        let alone = ClusterPlacement(machine: "a")
        #expect(
            alone.new("s", among: [candidate(1, "a"), candidate(2), candidate(3)])
                == .here([1, 2, 3]))
        // Of more machines than workers, each may have one.
        let many = ClusterPlacement(machine: "a", others: ["b", "c"])
        #expect(many.new("s", among: [candidate(1), candidate(2)]) == .here([1]))
    }

    @Test func `a drained machine takes nothing, and sends all fronts of a journal to one other`() {
        let others = ["b", "c", "d"]
        let drained = ClusterPlacement(machine: "a", isDraining: true, others: others)
        let chosen = drained.existing(on: candidate(1))
        #expect(others.contains { chosen == .there(machine: $0) })
        let another = ClusterPlacement(machine: "e", isDraining: true, others: others.reversed())
        #expect(another.existing(on: candidate(1)) == chosen)
        #expect(drained.existing(on: candidate(1, "a")) == chosen)
        #expect(drained.new("s", among: [candidate(1), candidate(2, "c")]) == .there(machine: "c"))
        // The choice spreads, and only what was chosen moves when a machine goes.
        let fewer = ClusterPlacement(machine: "a", isDraining: true, others: ["b", "c"])
        var counts: [String: Int] = [:]
        for number in 1...300 {
            guard case .there(let machine) = drained.existing(on: candidate(number)) else {
                continue
            }
            counts[machine, default: 0] += 1
            if machine != "d" {
                #expect(fewer.existing(on: candidate(number)) == .there(machine: machine))
            }
        }
        #expect(counts.count == 3 && counts.values.allSatisfy { $0 > 50 }, "\(counts)")
        #expect(
            ClusterPlacement(machine: "a", isDraining: true).existing(on: candidate(1)) == .nowhere)
    }
}
