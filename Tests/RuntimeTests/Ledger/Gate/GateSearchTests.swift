// GateSearchTests: no frame passes a group that is not durable, whatever happens when.

import Foundation
import NapkinLedger
import Testing

/// Every order of running, throwing, sealing, writing, sending and dying, breadth first.
private struct GateSearch {
    var states = 0
    var ends = 0
    /// The shortest way to what must not be, and what that is.
    var failure: (what: String, way: [GateMove])?

    /// Beyond that the scope is too large for a test. Chosen.
    static let statesMax = 20_000_000

    init(_ scope: GateScope) {
        var origins: [(parent: Int, move: GateMove?)] = [(-1, nil)]
        let first = GateWorld(scope)
        var seen: Set = [first.hashValue]
        var level = [(0, first)]
        search: while !level.isEmpty, origins.count < Self.statesMax {
            var next: [(Int, GateWorld)] = []
            for (number, world) in level {
                let moves = world.moves(scope)
                if !moves.contains(where: { if case .crashes = $0 { false } else { true } }) {
                    ends += 1
                    var end = world
                    end.checkEnd(scope)
                    if let what = end.failure {
                        failure = (what, Self.way(to: number, origins))
                        break search
                    }
                }
                for move in moves {
                    let after = world.after(move, scope)
                    if let what = after.failure {
                        failure = (what, Self.way(to: number, origins) + [move])
                        break search
                    }
                    guard seen.insert(after.hashValue).inserted else { continue }
                    next.append((origins.count, after))
                    origins.append((number, move))
                }
            }
            level = next
        }
        states = origins.count
    }

    private static func way(
        to state: Int, _ origins: [(parent: Int, move: GateMove?)]
    ) -> [GateMove] {
        var way: [GateMove] = []
        var number = state
        while let move = origins[number].move {
            way.append(move)
            number = origins[number].parent
        }
        return way.reversed()
    }
}

@Suite(.timeLimit(.minutes(10)))
struct GateSearchTests {
    /// 2 fronts, 2 nodes, 3 handlers of one or two stretches.
    private static func scope(
        _ stretches: [Int], crashes: Int = 1, isInline: Bool = false, _ flaw: GateFlaw? = nil
    ) -> GateScope {
        let places = [(0, 0), (1, 0), (1, 1)]
        return GateScope(
            handlers: zip(places, stretches).map { ($0.0, $0.1, $1) }, crashes: crashes,
            isInline: isInline, flaw: flaw)
    }

    /// NAPKIN_GATE searches those, too, that take minutes.
    private static let scopes: [GateScope] = {
        let quick = [
            scope([1, 1, 1]), scope([1, 1, 1], isInline: true), scope([2, 1, 1], isInline: true),
            scope([1, 2], crashes: 2),
        ]
        let isWhole = ProcessInfo.processInfo.environment["NAPKIN_GATE"] != nil
        guard isWhole else { return quick }
        return quick + [
            scope([1, 2, 2], isInline: true), scope([2, 2]), scope([2, 1, 1]), scope([1, 2, 2]),
        ]
    }()

    @Test(arguments: scopes) func `U7: no frame passes a group that is not durable`(
        _ scope: GateScope
    ) {
        let start = ContinuousClock.now
        let search = GateSearch(scope)
        print("gate search: \(scope): \(search.states) states, \(ContinuousClock.now - start)")
        if let failure = search.failure {
            Issue.record("\(failure.what), after \(failure.way)")
        }
        #expect(search.states < GateSearch.statesMax && search.ends > 0)
    }

    @Test(arguments: GateFlaw.allCases)
    func `a gate with a flaw is caught`(_ flaw: GateFlaw) throws {
        let search = GateSearch(Self.scope([1, 2], crashes: 1, flaw))
        let failure = try #require(search.failure, "\(search.states) states and no failure")
        print("gate search: \(flaw): \(failure.what), after \(failure.way)")
    }
}
