// DueTests: timers and jobs of a durable session, by a clock that the test sets.

import NapkinCore
import NapkinLedger
import Synchronization
import TestSupport
import Testing

@testable import NapkinRuntime

/// Counts calls, holds them up, and notes their keys.
private final class Workshop: Sendable {
    private struct State {
        var keys: [JobKey] = []
        var running = 0
        var most = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var isOpen = false
    }

    private let state = Mutex(State())

    var keys: [JobKey] { state.withLock { $0.keys } }
    var most: Int { state.withLock { $0.most } }

    func work(_ job: String, _ key: JobKey) async throws -> String {
        state.withLock { state in
            state.keys.append(key)
            state.running += 1
            state.most = max(state.most, state.running)
        }
        defer { state.withLock { $0.running -= 1 } }
        if job == "fails" { throw Mishap(description: "no") }
        if job == "wait" { await waits() }
        return job
    }

    private func waits() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

extension RuntimeTests {
    @Test(arguments: [
        (MissedFirings.once, 1), (.skip, 0), (.each(max: 3), 3), (.each(max: 100), 5),
    ])
    func `U11: what was missed while no worker ran is made up for as it was asked`(
        missed: MissedFirings, count: Int
    ) async throws {
        let office = try await Office()
        try await office.clerk.does { clerk in
            try clerk.schedule("tea", every: .seconds(60), missed: missed, "")
        }
        await office.settle()
        #expect(office.journal.earliestDue == office.now + 60_000)
        await office.passes(59_999)
        #expect(await office.clerk.lines == [])
        try await office.dies(restoring: false)
        // Of five firings, the last is 20 s late.
        office.now += 1 + 4 * 60_000 + 20_000
        #expect(office.journal.earliestDue == office.now - 260_000)
        try await office.restores()
        for _ in 0..<10 { await office.passes(0) }
        #expect(await office.clerk.lines.count == count)
        #expect(office.journal.earliestDue == office.now + 40_000)
        await office.passes(40_000)
        #expect(await office.clerk.lines.count == count + 1)
        await office.end()
    }

    @Test func `a firing is done once, whether its handler ends, throws or is interrupted`()
        async throws
    {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { clerk in
            for payload in ["ends", "throws", "waits"] {
                try clerk.schedule(payload, after: .seconds(1), payload)
            }
        }
        await office.passes(1000)
        #expect(await office.clerk.lines.sorted() == ["fired ends", "fired waits"])
        #expect(!office.session.isPassive)
        try await office.dies()
        #expect(office.session.isPassive)
        #expect(
            await office.clerk.interrupted == [
                InterruptedEvent(method: "timerFired(_:_:)", name: "waits")
            ])
        await office.passes(100_000)
        #expect(await office.clerk.lines.count == 2)
        #expect(office.journal.earliestDue == nil)
        try await office.dies()
        #expect(await office.clerk.interrupted == [])
        workshop.open()
        await office.end()
    }

    @Test func `handlers of timers and jobs are counted, and those that wait as begun`()
        async throws
    {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { clerk in
            for payload in ["ends", "waits"] {
                try clerk.schedule(payload, after: .seconds(1), payload)
            }
            for job in ["done", "fails"] { try clerk.post(job) }
        }
        for _ in 0..<4 { await office.passes(100_000) }
        let counts = try #require(office.session.ledger).handlerCounts
        let known = counts.filter { $0.feature != "-" }
        #expect(Set(known.map(\.feature)) == ["room"])
        let handlers = ["jobFailed(_:_:key:)", "jobSucceeded(_:_:key:)", "timerFired(_:_:)"]
        #expect(known.map(\.method) == handlers)
        #expect(known.map(\.records) == [1, 1, 2])
        #expect(known.map(\.begun) == [0, 0, 1])
        #expect(known.allSatisfy { $0.bytes > 0 })
        workshop.open()
        await office.settle()
        #expect(office.session.ledger?.handlerCounts.last?.records == 3)
        #expect(office.session.ledger?.handlerCounts.last?.begun == 1)
        await office.end()
    }

    @Test func `a clock that is set back or forward is followed`() async throws {
        let office = try await Office()
        try await office.clerk.does { try $0.schedule("tea", atUnixTime: 1_000_100, "") }
        await office.passes(-3_600_000)
        await office.passes(50_000)
        #expect(await office.clerk.lines == [])
        await office.passes(3_700_000)
        #expect(await office.clerk.lines == ["fired tea"])
        await office.end()
    }

    @Test func `what is too much is refused, and nothing of it is kept`() async throws {
        let office = try await Office()
        let refused = { (deed: @Sendable (isolated Caretaker) throws -> Void) async throws in
            let error = await #expect(throws: DurableError.self) {
                try await office.clerk.does(deed)
            }
            return try #require(error).code
        }
        #expect(try await refused { try $0.schedule("", after: .zero, "") } == .unsuitable)
        let name = String(repeating: "n", count: 129)
        #expect(try await refused { try $0.schedule(name, after: .zero, "") } == .unsuitable)
        #expect(
            try await refused { try $0.schedule("a", every: .milliseconds(99), "") }
                == .unsuitable)
        #expect(
            try await refused { try $0.schedule("a", after: .seconds(Int64.max), "") }
                == .unsuitable)
        #expect(
            try await refused { try $0.schedule("a", atUnixTime: .nan, "") } == .unsuitable)
        let large = String(repeating: "l", count: 16 * 1024)
        #expect(try await refused { try $0.schedule("a", after: .zero, large) } == .unsuitable)
        let job = String(repeating: "j", count: 64 * 1024)
        #expect(try await refused { try $0.post(job) } == .unsuitable)
        await office.settle()
        #expect(office.journal.earliestDue == nil)

        try await office.clerk.does { clerk in
            for number in 0..<1000 { try clerk.schedule("\(number)", after: .seconds(60), "") }
            // One of the same name takes its place.
            try clerk.schedule("0", after: .seconds(30), "")
        }
        #expect(try await refused { try $0.schedule("more", after: .zero, "") } == .tooMany)
        await office.settle()
        #expect(office.session.ledger?.image.timers.count == 1000)
        await office.end()
    }

    @Test func `an interactor that is in no kept session is told so`() async {
        let clerk = Caretaker { job, _ in job }
        let error = await #expect(throws: DurableError.self) {
            try await clerk.does { try $0.schedule("tea", after: .zero, "") }
        }
        #expect(error?.code == .notKept)
    }

    @Test func `a timer that the app cannot take is kept for the next version`() async throws {
        let office = try await Office()
        try await office.clerk.does { try $0.schedule("tea", after: .seconds(1), "") }
        await office.settle()
        try await office.dies(restoring: false)
        try await office.restores(bySuccessor: true)
        await office.passes(5000)
        #expect(office.journal.earliestDue == nil)
        #expect(office.session.ledger?.image.timers.count == 1)
        try await office.dies()
        await office.passes(0)
        #expect(await office.clerk.lines == ["fired tea"])
        await office.end()
    }

    @Test func `a timer in whose handler the worker ends each time is given up, and listed`()
        async throws
    {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { clerk in
            try clerk.schedule("tea", every: .seconds(60), "hangs")
            try clerk.schedule("cake", after: .seconds(61), "")
        }
        await office.passes(60_000)
        office.now += 1000
        for death in 1...3 {
            while workshop.keys.count < death { await office.settle() }
            #expect(await office.clerk.deadTimers.isEmpty)
            try await office.dies()
            await office.passes(0)
            // Another that was due is not taken for it.
            #expect(await office.clerk.lines == ["fired cake"])
        }
        await office.passes(1_000_000)
        #expect(workshop.keys.count == 3)
        for _ in 1...2 {
            #expect(office.journal.earliestDue == nil)
            #expect(await office.clerk.deadTimers["tea"]?.attempts == 3)
            #expect(await !office.clerk.isScheduled("tea"))
            try await office.dies()
        }
        workshop.open()
        try await office.clerk.does { try $0.schedule("tea", after: .seconds(1), "") }
        await office.passes(1000)
        #expect(await office.clerk.lines == ["fired cake", "fired tea"])
        #expect(await office.clerk.deadTimers.isEmpty)
        await office.end()
    }

    @Test func `a repeated timer whose handlers end is never given up`() async throws {
        let office = try await Office()
        try await office.clerk.does { try $0.schedule("tea", every: .seconds(60), "") }
        await office.settle()
        for firing in 1...5 {
            try await office.dies(restoring: false)
            office.now += 60_000
            try await office.restores()
            await office.passes(0)
            #expect(await office.clerk.lines.count == firing)
        }
        #expect(office.session.ledger?.image.timers.first?.attempts == nil)
        await office.end()
    }

    // MARK: - Jobs

    @Test func `few jobs of a session are performed at a time, and all of them in the end`()
        async throws
    {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { clerk in
            for _ in 0..<10 { try clerk.post("wait") }
        }
        await office.passes(0)
        while workshop.keys.count < 4 { await turn() }
        await office.passes(0)
        #expect(workshop.keys.count == 4)
        workshop.open()
        while await office.clerk.lines.count < 10 { await office.passes(0) }
        #expect(Set(workshop.keys).count == 10 && workshop.most == 4)
        await office.settle()
        #expect(office.journal.earliestDue == nil)
        await office.end()
    }

    @Test func `a job that fails waits longer each time, and its attempts survive`() async throws {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { _ = try $0.post("fails") }
        for attempt in 1...3 {
            await office.passes(0)
            while workshop.keys.count < attempt { await turn() }
            await office.settle()
            guard attempt < 3 else { break }
            let due = try #require(office.journal.earliestDue)
            let whole = Int64(8000 << (attempt - 1))
            #expect((whole / 2...whole).contains(due - office.now))
            try await office.dies()
            await office.passes(due - office.now - 1)
            #expect(workshop.keys.count == attempt)
            await office.passes(1)
        }
        while await office.clerk.lines.isEmpty { await office.passes(0) }
        #expect(await office.clerk.lines == ["dead fails 3"])
        #expect(Set(workshop.keys).count == 1 && workshop.keys.count == 3)
        try await office.dies()
        await office.passes(1_000_000)
        #expect(await office.clerk.lines == ["dead fails 3"])
        let letters = await office.clerk.deadLetters
        #expect(letters.map(\.key) == [workshop.keys[0]])
        #expect(letters.first?.failure.reason == "no")
        #expect(await office.clerk.forget(workshop.keys[0]))
        #expect(await !office.clerk.forget(workshop.keys[0]))
        await office.settle()
        #expect(office.session.ledger?.image.jobs.isEmpty == true)
        await office.end()
    }

    @Test func `a job whose every attempt was the worker's end is given up`() async throws {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { _ = try $0.post("wait") }
        // The first attempt is not recorded.
        for attempt in 1...4 {
            await office.passes(0)
            while workshop.keys.count < attempt { await turn() }
            try await office.dies()
        }
        while await office.clerk.lines.isEmpty { await office.passes(0) }
        #expect(await office.clerk.lines == ["dead wait 3"])
        #expect(workshop.keys.count == 4)
        workshop.open()
        await office.end()
    }

    @Test func `a result whose handler throws has come, and changes nothing`() async throws {
        let workshop = Workshop()
        let office = try await Office(work: workshop.work)
        try await office.clerk.does { _ = try $0.post("throws") }
        await office.passes(0)
        while office.journal.earliestDue != nil { await office.settle() }
        try await office.dies()
        await office.passes(1000)
        #expect(await office.clerk.lines == [])
        #expect(workshop.keys.count == 1)
        await office.end()
    }
}
