// InspectionTests: what is kept for who looks inside, at its limits.

import NapkinProtocol
import Testing

struct InspectionTests {
    private func message(_ number: Int, bytes: Int? = nil) -> TracedMessage {
        var message = TracedMessage(time: UInt64(number), isFromFront: true, kind: "event")
        message.value = bytes.map { [UInt8](repeating: 1, count: $0) }
        return message
    }

    @Test func `a tracer keeps the oldest messages, and counts the others`() {
        var queue = TraceQueue()
        for number in 1...Limits.traceMessagesMax { queue.add(message(number)) }
        #expect(queue.lost == 0)
        queue.add(message(0))
        queue.add(message(0))
        #expect(queue.count == Limits.traceMessagesMax)
        let (messages, lost) = queue.take()
        #expect(messages.map(\.time) == (1...UInt64(Limits.traceMessagesMax)).map(\.self))
        #expect(lost == 2)
        // Told once; counted for good.
        #expect(queue.isEmpty && queue.lost == 2)
        queue.add(message(7))
        #expect(queue.take() == ([message(7)], 0))
    }

    @Test func `in a front's queues nothing waits at first`() {
        let queues = SessionQueues.Front(front: 7, isAway: false)
        let counts = Mirror(reflecting: queues).children.compactMap { $0.value as? Int }
        #expect(counts.count == 11 && counts.allSatisfy { $0 == 0 })
    }

    @Test func `values have a limit of their own`() {
        var queue = TraceQueue()
        queue.add(message(1, bytes: Limits.traceBytesMax - 1))
        queue.add(message(2, bytes: 2))
        queue.add(message(3, bytes: 1))
        queue.add(message(4, bytes: 1))
        // What has no value has room.
        queue.add(message(5))
        #expect(queue.bytes == Limits.traceBytesMax)
        let (messages, lost) = queue.take()
        #expect(messages.map(\.time) == [1, 3, 5])
        #expect(lost == 2)
        #expect(queue.bytes == 0)
    }

    private func crossing(_ number: Int) -> FigureTable.Crossing {
        FigureTable.Crossing(feature: "f", method: "m\(number)()", delivery: "event")
    }

    @Test func `a table has so many rows and no more`() {
        var table = FigureTable()
        for number in 1...Limits.crossingsMax { table.change(crossing(number)) { $0.calls += 1 } }
        #expect(table.omitted == 0)
        table.change(crossing(0)) { $0.calls += 1 }
        table.change(crossing(0)) { $0.calls += 1 }
        table.change(crossing(1)) { $0.calls += 1 }
        #expect(table.rows.count == Limits.crossingsMax)
        #expect(table.omitted == 1)
        #expect(table.rows[0].calls == 2)
    }

    @Test func `the figures of two sessions are added, method by method`() {
        var (one, other) = (FigureTable(), FigureTable())
        var front = FrontFigures()
        front.calls = 2
        front.trip = 50
        one.change(crossing(1)) { row in
            row.calls = 3
            row.queue = 10
            row.fronts = front
        }
        other.change(crossing(1)) { row in
            row.calls = 4
            row.failures = 1
            row.fronts = front
            row.durations.add(99)
        }
        other.change(crossing(2)) { $0.calls = 1 }
        one.add(other)
        #expect(one.rows.map(\.calls) == [7, 1])
        #expect(one.rows[0].queue == 10 && one.rows[0].failures == 1)
        #expect(one.rows[0].fronts?.trip == 100 && one.rows[0].durations.count == 1)
    }

    @Test(arguments: [
        ("rib-hose", "rib-house"), ("RIB-HOUSE", "rib-house"), ("lnuch", "lunch"),
        ("lunch2", "lunch"), ("din", "dinner"), ("didTapLogn()", "didTapLogin()"),
    ])
    func `a slip of the fingers is understood`(_ typed: String, _ meant: String) {
        let known = ["rib-house", "lunch", "dinner", "didTapLogin()", "didTapLogout()"]
        #expect(Suggestion.nearest(to: typed, among: known) == meant)
        #expect(Suggestion.hint(for: typed, among: known) == " (did you mean '\(meant)'?)")
    }

    @Test func `what is like nothing is not guessed`() {
        for typed in ["", "breakfast", "x", String(repeating: "l", count: 200)] {
            #expect(Suggestion.nearest(to: typed, among: ["rib-house", "lunch"]) == nil)
            #expect(Suggestion.hint(for: typed, among: ["rib-house", "lunch"]) == "")
        }
        // Both begin so.
        #expect(Suggestion.nearest(to: "rib", among: ["rib-house", "rib-shack"]) == nil)
    }

    @Test func `of very many names only some are looked at, however long they are`() {
        var looked = 0
        let names = (0..<100_000).lazy.map { number in
            looked += 1
            return "session-\(number)"
        }
        #expect(Suggestion.nearest(to: "sesion-7", among: names) == "session-7")
        #expect(Suggestion.nearest(to: "breakfast", among: names) == nil)
        #expect(looked <= 2 * Limits.suggestionsMax)
    }
}
