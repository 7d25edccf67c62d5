// HeldOutputSearchTests: no frame passes a group that is not durable, whatever happens when.

import Foundation
import TestSupport
import Testing

/// Every order of running, throwing, sealing, writing, sending and dying.
@Suite(.timeLimit(.minutes(10)))
struct HeldOutputSearchTests {
    /// 2 fronts, 2 nodes, 3 handlers of one or two stretches.
    private static func scope(
        _ stretches: [Int], crashes: Int = 1, isInline: Bool = false, _ flaw: HeldOutputFlaw? = nil
    ) -> HeldOutputScope {
        let places = [(0, 0), (1, 0), (1, 1)]
        return HeldOutputScope(
            handlers: zip(places, stretches).map { ($0.0, $0.1, $1) }, crashes: crashes,
            isInline: isInline, flaw: flaw)
    }

    /// NAPKIN_WHOLE searches those, too, that take minutes.
    private static let scopes: [HeldOutputScope] = {
        let quick = [
            scope([1, 1, 1]), scope([1, 1, 1], isInline: true), scope([2, 1, 1], isInline: true),
            scope([1, 2], crashes: 2),
        ]
        let isWhole = ProcessInfo.processInfo.environment["NAPKIN_WHOLE"] != nil
        guard isWhole else { return quick }
        return quick + [
            scope([1, 2, 2], isInline: true), scope([2, 2]), scope([2, 1, 1]), scope([1, 2, 2]),
        ]
    }()

    @Test(arguments: scopes) func `U7: no frame passes a group that is not durable`(
        _ scope: HeldOutputScope
    ) {
        let start = ContinuousClock.now
        let search = Search<HeldOutputWorld>(scope)
        print("output held: \(scope): \(search.states) states, \(ContinuousClock.now - start)")
        if let failure = search.failure {
            Issue.record("\(failure.what), after \(failure.way)")
        }
        #expect(search.states < Search<HeldOutputWorld>.statesMax && search.ends > 0)
    }

    @Test(arguments: HeldOutputFlaw.allCases)
    func `held output with a flaw is caught`(_ flaw: HeldOutputFlaw) throws {
        let search = Search<HeldOutputWorld>(Self.scope([1, 2], crashes: 1, flaw))
        let failure = try #require(search.failure, "\(search.states) states and no failure")
        print("output held: \(flaw): \(failure.what), after \(failure.way)")
    }
}
