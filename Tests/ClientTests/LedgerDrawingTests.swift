// LedgerDrawingTests: how timers, jobs and dead letters of a stored session are shown.

import NapkinProtocol
import Testing

@testable import NapkinClient

@Suite struct LedgerDrawingTests {
    private func lines(
        _ timers: [LedgerSession.Timer]?, _ jobs: [LedgerSession.Job]?
    ) -> ArraySlice<String> {
        let entry = LedgerEntry(
            session: "lunch", app: "till", worker: "till", id: "lunch", bytes: 10, record: 3,
            level: "process", isRunning: false)
        let session = LedgerSession(
            entry: entry, epoch: 1, oldest: 3, nodes: [], fronts: [], records: [], timers: timers,
            jobs: jobs)
        return LedgerDrawing.lines(of: session).dropFirst().dropLast()
    }

    @Test func `a timer has its next firing, or why it was given up`() {
        #expect(lines(nil, nil).isEmpty)
        let drawn = lines(
            [
                .init(node: 1, name: "tea", due: 1_772_357_400_999),
                .init(node: 2, name: "bun", due: 0, interval: 9, attempts: 1),
                .init(node: 2, name: "milk", due: 0, attempts: 2, failure: "the worker ended"),
            ], nil)
        #expect(
            drawn == [
                "  timer 'tea' of 1: fires at 2026-03-01T09:30:00Z",
                "  timer 'bun' of 2: fires at 1970-01-01T00:00:00Z, after 1 attempt, every 9 ms",
                "  timer 'milk' of 2: given up after 2 attempts: the worker ended",
            ])
    }

    @Test func `a job has its next attempt, or why it is a dead letter`() {
        let drawn = lines(
            nil,
            [
                .init(node: 1, key: "ab", due: 1_772_357_400_999, attempts: 0),
                .init(node: 1, key: "cd", due: 0, attempts: 3, failure: "no"),
            ])
        #expect(
            drawn == [
                "  job ab of 1: tried at 2026-03-01T09:30:00Z",
                "  job cd of 1: given up after 3 attempts: no",
            ])
    }

    private func session(_ state: [UInt8], newest: UInt64) -> LedgerSession {
        let entry = LedgerEntry(
            session: "lunch", app: "till", worker: "till", id: "lunch", bytes: 10, record: 3,
            level: "process", isRunning: false)
        return LedgerSession(
            entry: entry, epoch: 1, oldest: 3,
            nodes: [
                .init(
                    number: 1, parent: 0, slot: "", feature: "till.till", front: nil, arguments: [],
                    state: state)
            ],
            fronts: [
                .init(front: 7, started: newest, answers: 0, answerBytes: 0, begun: [])
            ], records: [])
    }

    @Test func `what a record has changed is marked, field by field, with what was there`() {
        // CBOR: {"a,}\"": [1, {"b": 2}], "sum": 5}, and with a sum of 7; then without it.
        func state(_ sum: UInt8?) -> [UInt8] {
            let list: [UInt8] = [0x64] + Array("a,}\"".utf8) + [0x82, 1, 0xA1, 0x61, 0x62, 2]
            guard let sum else { return [0xA1] + list }
            return [0xA2] + list + [0x63] + Array("sum".utf8) + [sum]
        }
        let old = session(state(5), newest: 3)
        let lines = LedgerLine.lines(of: session(state(7), newest: 4), after: old)
        #expect(
            lines.map(\.text) == [
                "till.till (1)", "  a,}\\\": [1,{\"b\":2}]", "  sum: 7   was 5",
                "  front 7: newest event 4, 0 answers kept (0 B)   was newest event 3, 0 answers "
                    + "kept (0 B)",
            ])
        #expect(lines.map(\.isChanged) == [false, false, true, true])
        let without = LedgerLine.lines(of: session(state(nil), newest: 3), after: old)
        #expect(without.last?.text == "  sum: 5   gone" && without.last?.isChanged == true)
        #expect(LedgerLine.lines(of: old, after: old).allSatisfy { !$0.isChanged })
    }
}
