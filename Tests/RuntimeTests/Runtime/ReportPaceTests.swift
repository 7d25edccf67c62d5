// ReportPaceTests: which of many cases are reported, and how many were left out.

import Testing

@testable import NapkinRuntime

struct ReportPaceTests {
    @Test(
        arguments: [
            [(0, 0)], [(5, 0), (5, nil), (1004, nil), (1005, 2)], [(5, 0), (6, nil), (7000, 1)],
            [(5, 0), (1005, 0), (2004, nil), (2005, 1), (3005, 0)],
        ] as [[(UInt64, Int?)]])
    func `one case in each interval is reported, with the number of those left out`(
        cases: [(now: UInt64, others: Int?)]
    ) {
        var pace = ReportPace(interval: 1000)
        for (now, others) in cases { #expect(pace.report(at: now) == others) }
    }
}
