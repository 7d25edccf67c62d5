// TopTableTests: what crossings have taken between two looks.

import NapkinProtocol
import Testing

@testable import NapkinClient

struct TopTableTests {
    private let subject = Subject(app: "shop")

    /// As many calls of so many microseconds each: 1 queue, 5 handler, 2 reply.
    private func row(calls: UInt64, fronts: Bool) -> CrossingFigures {
        var row = CrossingFigures(feature: "f", method: "m()", delivery: "event")
        row.calls = calls
        row.queue = 1000 * calls
        row.handler = 5000 * calls
        row.reply = 2000 * calls
        for _ in 0..<calls { row.durations.add(8000) }
        guard fronts else { return row }
        var seen = FrontFigures()
        seen.calls = calls
        seen.queue = 4000 * calls
        seen.trip = 11_000 * calls
        for _ in 0..<calls { seen.durations.add(15_000) }
        row.fronts = seen
        return row
    }

    private func look(_ seconds: UInt64, _ rows: CrossingFigures...) -> [Subject: Figures] {
        [subject: Figures(nanoseconds: seconds * 1_000_000_000, crossings: rows, omitted: 0)]
    }

    @Test func `the wire is what is left of the round trip`() throws {
        let table = TopTable(
            from: look(10, row(calls: 2, fronts: true)), to: look(12, row(calls: 12, fronts: true)))
        let row = try #require(table.rows.first)
        #expect(table.seconds == 2)
        #expect(row.calls == 10 && row.callsPerSecond == 5)
        #expect(row.frontQueue == 4 && row.workerQueue == 1 && row.handler == 5 && row.reply == 2)
        #expect(abs((row.wire ?? 0) - (11 - 8)) < 1e-6)
        #expect(row.seenBy == "front")
        #expect(abs((row.p50 ?? 0) - 15) < 1)
        // The parts are the whole.
        let parts = [row.frontQueue, row.wire, row.workerQueue, row.handler, row.reply]
        #expect(abs(parts.compactMap(\.self).reduce(0, +) - (4 + 11)) < 1e-6)
    }

    @Test func `without a front's word the worker's is marked as such`() throws {
        let table = TopTable(from: look(10), to: look(11, row(calls: 3, fronts: false)))
        let row = try #require(table.rows.first)
        #expect(row.seenBy == "worker" && row.wire == nil && row.frontQueue == nil)
        #expect(abs((row.p99 ?? 0) - 8) < 1)
        #expect(
            table.lines(columns: .max)[1].contains("8.4*")
                || table.lines(columns: .max)[1].contains("*"))
    }

    @Test func `what was not called is not shown`() {
        let same = row(calls: 3, fronts: true)
        let table = TopTable(from: look(10, same), to: look(11, same))
        #expect(table.rows.isEmpty)
        #expect(table.lines(columns: 80).contains("Nothing has crossed."))
    }

    @Test func `a worker that was started again counts from nothing`() throws {
        let table = TopTable(
            from: look(10, row(calls: 100, fronts: true)),
            to: look(12, row(calls: 6, fronts: true)))
        #expect(table.rows.first?.calls == 6)
        // Its clock may have begun anew, too, with the machine.
        let other = TopTable(from: look(10), to: look(9, row(calls: 6, fronts: true)))
        #expect(other.rows.isEmpty)
    }

    @Test func `a state has calls and no times`() throws {
        var state = CrossingFigures(feature: "f", method: "present(x:)", delivery: "state")
        state.calls = 4
        let row = try #require(TopTable(from: look(1), to: look(2, state)).rows.first)
        #expect(row.p50 == nil && row.handler == nil && row.workerQueue == nil)
        #expect(TopTable.text(row.p50) == "-")
    }

    /// Every terminal is told where the time goes; names and what can be asked elsewhere give way.
    @Test(arguments: [
        (Int.max, "FEATURE METHOD CLASS CALLS/S FAILED P50 P99 FRONT WIRE QUEUE HANDLER REPLY"),
        (105, "FEATURE METHOD CALLS/S FAILED P50 P99 FRONT WIRE QUEUE HANDLER REPLY"),
        (80, "METHOD CALLS/S P50 P99 FRONT WIRE QUEUE HANDLER REPLY"),
        (60, "METHOD CALLS/S P50 P99 FRONT WIRE HANDLER"),
        (50, "METHOD CALLS/S P50 P99 WIRE HANDLER"),
        (20, "METHOD CALLS/S P50 P99 WIRE HANDLER"),
    ])
    func `a narrow terminal has fewer columns`(columns: Int, headings: String) throws {
        var crossing = row(calls: 3, fronts: true)
        crossing.feature = "house.pit-board"
        crossing.method = "didTapSomething(at:)"
        let lines = TopTable(from: look(10), to: look(11, crossing)).lines(columns: columns)
        #expect(lines[0].split(separator: " ").joined(separator: " ") == headings)
        #expect(columns < 50 || lines.prefix(2).allSatisfy { $0.count <= columns }, "\(lines)")
        #expect(lines[1].contains(columns < 80 ? "didTapS" : "didTapSomething(at:)"))
    }

    @Test func `numbers have three digits`() {
        #expect(
            [0.04, 0.25, 12.34, 99.96, 100.4, 12_345].map(TopTable.text)
                == ["0.0", "0.3", "12.3", "100.0", "100", "12345"])
    }
}
