// WorkerDeathTests: what counts as a death's last words, what is said of it, and for how long.

import NapkinProtocol
import Testing

@testable import NapkinDaemon

struct WorkerDeathTests {
    @Test(
        arguments: [
            (.exited(code: 0), .line, false), (.exited(code: 70), .line, false),
            (.signalled(9), .trap, false), (.disconnected, .trap, false),
            (.notStarted(reason: "no file"), .none, false), (.hung(.zero), .none, true),
            (.unheard(.zero), .none, true), (.unregistered(.zero), .none, false),
            (.exceeded(.memory(2, limit: 1)), .none, false),
            (.exceeded(.processor(2, limit: 1)), .none, true),
        ] as [(WorkerDeath.Cause, WorkerDeath.LastWords, Bool)])
    func `a worker that was not killed may have said why, and one that has memory leaves a trace`(
        cause: WorkerDeath.Cause, words: WorkerDeath.LastWords, printsTrace: Bool
    ) {
        #expect(cause.lastWords == words)
        #expect(cause.printsTrace == printsTrace)
    }

    @Test(
        arguments: [
            ("Fatal error: no", nil, ""), ("Fatal error: no", 1 << 20, ""),
            ("failed to allocate", nil, ""),
            (
                "failed to allocate", 1 << 20,
                "; its limit is 1 MiB: 'memory' in 'limits' of its manifest"
            ),
        ] as [(String, Int?, String)])
    func `last words are explained by the limit that they mean`(
        words: String, memory: Int?, explanation: String
    ) {
        let death = WorkerDeath(cause: .signalled(5), at: .zero)
        #expect(
            death.text(saying: words, memory: memory)
                == "it was ended by signal 5, and said: \(words)\(explanation)")
    }

    @Test(arguments: [(59, true), (60, false)])
    func `fronts are told of a death for a minute`(second: Int, isNews: Bool) {
        let death = WorkerDeath(cause: .disconnected, at: .seconds(100))
        #expect(death.isNews(at: .seconds(100 + second)) == isNews)
    }

    // MARK: - Words in a log

    private static let start = "2026-01-01T00:00:00Z notice napkind: [NapkinDaemon] worker starts"
    private static let second =
        "2026-01-01T00:00:00Z notice napkind: worker=till~2 [NapkinDaemon] worker starts"
    private static let later = "2026-01-01T00:00:01Z notice till: open"
    private static let trap = "Till.swift:7: Fatal error: no drawer"
    private static let noted =
        "2026-01-01T00:00:00Z notice napkind: cause=it was ended by signal 5, and said: "
        + "\(trap) [NapkinDaemon] worker died"

    @Test(
        arguments: [
            ([], 0, true, nil), ([start, "usage: till"], 0, false, nil),
            ([start, "usage: till"], 0, true, "usage: till"),
            ([start, "usage: till", later], 0, true, "usage: till"),
            ([start, trap, "at 0x1"], 0, false, trap), ([start, trap, "at 0x1"], 0, true, trap),
            ([trap, start, "usage: till"], 0, true, "usage: till"), ([trap, start], 0, true, nil),
            // Those that were noted with a death are another worker's.
            ([start, trap, noted], 0, false, nil), ([second, trap], 2, false, trap),
            ([trap, second], 2, false, nil), ([trap, second], 0, false, trap),
            ([trap, start], 2, false, trap),
        ] as [([String], Int, Bool, String?)])
    @MainActor
    func `the newest process's message of a trap counts, or its last line`(
        lines: [String], number: Int, orLine: Bool, words: String?
    ) {
        let found = WorkerLog.lastWords(
            in: lines.map { $0[...] }, of: WorkerID(app: "till", number: number), orLine: orLine)
        #expect(found == words)
    }

    // MARK: - Limits

    private static let mebibyte = 1 << 20

    @Test(
        arguments: [
            (nil, nil, .max, .max, nil), (3, nil, 3 * mebibyte - 1, 0, nil),
            (3, nil, 3 * mebibyte, 0, nil), (nil, 2, 0, 1999, nil), (nil, 2, 0, 2000, nil),
            (3, nil, 3 * mebibyte + 1, 0, "it used 4 MiB of memory, and its limit is 3 MiB"),
            (nil, 2, 0, 2001, "it used 2 s of processor time in 60 s, and its limit is 2 s"),
            (1, 2, 2 * mebibyte, 60_000, "it used 2 MiB of memory, and its limit is 1 MiB"),
        ] as [(Int?, Int?, Int, UInt64, String?)])
    func `a worker may use as much as its limits, and no more`(
        memory: Int?, processor: Int?, bytes: Int, milliseconds: UInt64, text: String?
    ) {
        var limits = AppLimits()
        (limits.memory, limits.processor) = (memory.map { $0 * Self.mebibyte }, processor)
        let excess = WorkerExcess(bytes: bytes, milliseconds: milliseconds, limits)
        #expect(excess?.text.split(separator: ":").first.map(String.init) == text)
    }
}
