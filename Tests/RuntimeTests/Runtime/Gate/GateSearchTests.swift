// GateSearchTests: no frame passes a group that is not durable, whatever happens when.

import Foundation
import TestSupport
import Testing

/// Every order of running, throwing, sealing, writing, sending and dying.
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
        let search = Search<GateWorld>(scope)
        print("gate search: \(scope): \(search.states) states, \(ContinuousClock.now - start)")
        if let failure = search.failure {
            Issue.record("\(failure.what), after \(failure.way)")
        }
        #expect(search.states < Search<GateWorld>.statesMax && search.ends > 0)
    }

    @Test(arguments: GateFlaw.allCases)
    func `a gate with a flaw is caught`(_ flaw: GateFlaw) throws {
        let search = Search<GateWorld>(Self.scope([1, 2], crashes: 1, flaw))
        let failure = try #require(search.failure, "\(search.states) states and no failure")
        print("gate search: \(flaw): \(failure.what), after \(failure.way)")
    }
}
