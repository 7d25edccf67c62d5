// RunTextTests: lines of output, and times as people write them.

import DeskContract
import NapkinCore
import Testing

@testable import DeskFeature

@Suite struct RunTextTests {
    @Test(
        arguments: [
            ("[3/12] Compiling Run.swift", 0.25), ("[ 40%] Building", 0.4), ("100%", 1),
            ("in 3/0 of cases, 140 % of 12/3", nil), ("/usr/bin", nil), ("", nil), ("nan%", nil),
            ("inf/inf", nil), ("1/nan", nil),
        ] as [(String, Double?)])
    func `progress is what build tools write`(line: String, progress: Double?) {
        #expect(Run.progress(in: line) == progress)
    }

    @Test func `a line is what a terminal shows at last`() {
        #expect(Run.shown("10 %\r20 %\r") == "20 %")
        #expect(Run.shown("\u{1B}[1;31mred\u{1B}[0m \u{1B}]0;title\u{7}end") == "red end")
        // As top(1) and what else knows line drawing begin and end a style.
        #expect(Run.shown("\u{1B}(B\u{1B}[m8 root\u{1B}#8 S\u{1B}(") == "8 root S")
        #expect(Run.shown(String(repeating: "a", count: 5000)).count == 200)
    }

    @Test(
        arguments: [
            ("90s", 90), ("1.5h", 5400), ("0s", nil), ("9999h", nil), ("s", nil), ("10", nil),
            ("-5m", nil), ("nans", nil), ("infh", nil),
        ] as [(String, Double?)])
    func `a span is a number and a unit`(text: String, seconds: Double?) {
        // Refused is nil in the table.
        #expect((try? Order.seconds(text)) == seconds)
    }

    @Test func `a start is a span or a time, and often is a part of the day`() throws {
        let midnight = try CalendarSchedule("0:00").next(after: 1_000_000)
        func firing(_ at: String?, _ every: String? = nil) throws(DeskError) -> Double? {
            var order = Order(command: "true")
            (order.at, order.every) = (at, every)
            return try order.firing(after: midnight + 100).map { $0 - midnight }
        }
        #expect(try firing("90s") == 190 && firing("1:00") == 3600)
        #expect(try firing(nil, "15m") == 900 && firing(nil, "2:30") == 9000)
        #expect(try firing(nil) == nil)
        for mistake in ["", "soon", "24:00", "7", "funday 7:00"] {
            #expect(throws: DeskError.self) { try firing(mistake) }
            #expect(throws: DeskError.self) { try firing(nil, mistake) }
        }
    }
}
