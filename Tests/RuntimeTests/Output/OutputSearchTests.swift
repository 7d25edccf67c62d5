// OutputSearchTests: what fronts are sent comes in order, once, and not before it is durable.

import Foundation
import NapkinProtocol
import TestSupport
import Testing

/// Every order of presenting, ending turns, writing, being slow, committing and taking back.
@Suite(.timeLimit(.minutes(10)))
struct OutputSearchTests {
    private static let forAll: [Presented] = [.state, .item, .effect, .answer]
    private static let own: [Presented] = [.state, .effect, .ownState, .ownEffect, .answer]

    private static let quick = [
        OutputScope(presents: 3, kinds: forAll + [.ownState, .ownEffect], slows: 1),
        OutputScope(presents: 4, kinds: forAll),
        OutputScope(presents: 2, kinds: own, slows: 1, joins: true),
        OutputScope(presents: 3, kinds: forAll, handlers: 2, isDurable: true),
        OutputScope(presents: 2, kinds: forAll, handlers: 2, slows: 1, isDurable: true),
        OutputScope(
            presents: 3, kinds: [.mount, .provisional, .state, .effect], handlers: 2,
            isDurable: true),
    ]

    /// NAPKIN_WHOLE searches those, too, that take minutes.
    private static let scopes: [OutputScope] = {
        guard ProcessInfo.processInfo.environment["NAPKIN_WHOLE"] != nil else { return quick }
        return quick + [
            OutputScope(presents: 4, kinds: forAll + [.ownState, .ownEffect], slows: 1),
            OutputScope(presents: 5, kinds: own),
            OutputScope(presents: 5, kinds: forAll, slows: 1),
            OutputScope(presents: 3, kinds: own, slows: 1, joins: true),
            OutputScope(presents: 3, kinds: forAll, handlers: 2, slows: 1, isDurable: true),
            OutputScope(
                presents: 4, kinds: [.mount, .provisional, .state, .effect], handlers: 3,
                isDurable: true),
        ]
    }()

    @Test(arguments: scopes)
    func `U7: every front is sent everything, in order, once, and not before it is durable`(
        _ scope: OutputScope
    ) {
        let start = ContinuousClock.now
        let search = Search<OutputWorld>(scope)
        print("output search: \(scope): \(search), \(ContinuousClock.now - start)")
        if let failure = search.failure {
            Issue.record("\(failure.what), after \(failure.way)")
        }
        #expect(search.states < Search<OutputWorld>.statesMax && search.ends > 0)
    }

    @Test(arguments: OutputFlaw.allCases)
    func `output with a flaw is caught`(_ flaw: OutputFlaw) throws {
        var failure: (what: String, way: [OutputMove])?
        for var scope in Self.quick where failure == nil {
            scope.flaw = flaw
            failure = Search<OutputWorld>(scope).failure
        }
        let found = try #require(failure, "no search found it")
        print("output search: \(flaw): \(found.what), after \(found.way)")
    }
}
