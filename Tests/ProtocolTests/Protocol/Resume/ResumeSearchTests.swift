// ResumeSearchTests: no way through losses and crashes loses an event, or runs one twice.

import Foundation
import NapkinProtocol
import TestSupport
import Testing

/// Each scope is gone through whole: every order of sending, arriving, finishing, noticing a
/// loss, coming back and dying.
@Suite(.timeLimit(.minutes(20)))
struct ResumeSearchTests {
    /// NAPKIN_WHOLE searches those, too, that take minutes.
    static var scopes: [ResumeScope] {
        let quick = [
            ResumeScope(calls: [2, 2], cuts: 1),
            ResumeScope(calls: [2, 2], crashes: 1),
            ResumeScope(calls: [3], cuts: 1, crashes: 1, expiries: 1),
            ResumeScope(calls: [3], cuts: 2, crashes: 1),
            ResumeScope(calls: [3], cuts: 3),
        ]
        guard ProcessInfo.processInfo.environment["NAPKIN_WHOLE"] != nil else { return quick }
        return quick + [
            ResumeScope(calls: [3, 3], cuts: 1),
            ResumeScope(calls: [3, 3], crashes: 1),
            ResumeScope(calls: [2, 1], cuts: 1, crashes: 1),
            ResumeScope(calls: [6], cuts: 1, crashes: 1),
        ]
    }

    @Test(arguments: scopes)
    func `every event ends once and in truth, and runs in order and once`(
        _ scope: ResumeScope
    ) {
        let start = ContinuousClock.now
        let findings = Search<ResumeWorld>(scope)
        print(
            "resume search: \(scope.testDescription): \(findings), \(ContinuousClock.now - start)")
        if let failure = findings.failure {
            Issue.record("\(failure.what), after \(failure.way)")
        }
        #expect(findings.states < Search<ResumeWorld>.statesMax)
        #expect(findings.ends > 0)
    }

    @Test(arguments: Flaw.allCases)
    func `a machine with a flaw is caught`(_ flaw: Flaw) throws {
        let scope = ResumeScope(
            calls: [3], cuts: 2, crashes: flaw.needsCrash ? 1 : 0, flaw: flaw)
        let findings = Search<ResumeWorld>(scope)
        let failure = try #require(findings.failure, "\(findings) and no failure")
        print(
            "resume search: \(flaw): \(failure.what) after \(failure.way.count) moves, \(findings)")
    }
}
