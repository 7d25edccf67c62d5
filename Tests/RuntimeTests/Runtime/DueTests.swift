// DueTests: timers and jobs of a durable session, by a clock that the test sets.

import NapkinCore
import Synchronization
import TestSupport
import Testing

@testable import NapkinLedger
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
        let setup = try await DurableSetup()
        try await setup.interactor.does { interactor in
            try interactor.schedule("tea", every: .seconds(60), missed: missed, "")
        }
        await setup.settle()
        #expect(setup.journal.scheduler.earliest == setup.now + 60_000)
        await setup.passes(59_999)
        #expect(await setup.interactor.lines == [])
        try await setup.dies(restoring: false)
        // Of five firings, the last is 20 s late.
        setup.now += 1 + 4 * 60_000 + 20_000
        #expect(setup.journal.scheduler.earliest == setup.now - 260_000)
        try await setup.restores()
        for _ in 0..<10 { await setup.passes(0) }
        #expect(await setup.interactor.lines.count == count)
        #expect(setup.journal.scheduler.earliest == setup.now + 40_000)
        await setup.passes(40_000)
        #expect(await setup.interactor.lines.count == count + 1)
        await setup.end()
    }

    @Test func `a firing is done once, whether its handler ends, throws or is interrupted`()
        async throws
    {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        try await setup.interactor.does { interactor in
            for payload in ["ends", "throws", "waits"] {
                try interactor.schedule(payload, after: .seconds(1), payload)
            }
        }
        await setup.passes(1000)
        #expect(await setup.interactor.lines.sorted() == ["fired ends", "fired waits"])
        #expect(!setup.session.isPassive)
        try await setup.dies()
        #expect(setup.session.isPassive)
        #expect(
            await setup.interactor.interrupted == [
                InterruptedEvent(method: "timerFired(_:_:)", name: "waits")
            ])
        await setup.passes(100_000)
        #expect(await setup.interactor.lines.count == 2)
        #expect(setup.journal.scheduler.earliest == nil)
        try await setup.dies()
        #expect(await setup.interactor.interrupted == [])
        workshop.open()
        await setup.end()
    }

    @Test func `handlers of timers and jobs are counted, and those that wait as begun`()
        async throws
    {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        try await setup.interactor.does { interactor in
            for payload in ["ends", "waits"] {
                try interactor.schedule(payload, after: .seconds(1), payload)
            }
            for job in ["done", "fails"] { try interactor.post(job) }
        }
        for _ in 0..<4 { await setup.passes(100_000) }
        let counts = try #require(setup.session.ledger).handlerCounts
        let known = counts.filter { $0.feature != "-" }
        #expect(Set(known.map(\.feature)) == ["room"])
        let handlers = ["jobFailed(_:_:key:)", "jobSucceeded(_:_:key:)", "timerFired(_:_:)"]
        #expect(known.map(\.method) == handlers)
        #expect(known.map(\.records) == [1, 1, 2])
        #expect(known.map(\.begun) == [0, 0, 1])
        #expect(known.allSatisfy { $0.bytes > 0 })
        workshop.open()
        await setup.settle()
        #expect(setup.session.ledger?.handlerCounts.last?.records == 3)
        #expect(setup.session.ledger?.handlerCounts.last?.begun == 1)
        await setup.end()
    }

    @Test func `what is too much is refused, and nothing of it is kept`() async throws {
        let setup = try await DurableSetup()
        let refused = { (deed: @Sendable (isolated DueActor) throws -> Void) async throws in
            let error = await #expect(throws: DurableError.self) {
                try await setup.interactor.does(deed)
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
        await setup.settle()
        #expect(setup.journal.scheduler.earliest == nil)

        try await setup.interactor.does { interactor in
            for number in 0..<1000 { try interactor.schedule("\(number)", after: .seconds(60), "") }
            // One of the same name takes its place.
            try interactor.schedule("0", after: .seconds(30), "")
        }
        #expect(try await refused { try $0.schedule("more", after: .zero, "") } == .tooMany)
        await setup.settle()
        #expect(setup.session.ledger?.image.timers.count == 1000)
        await setup.end()
    }

    @Test func `an interactor that is in no kept session is told so`() async {
        let interactor = DueActor { job, _ in job }
        let error = await #expect(throws: DurableError.self) {
            try await interactor.does { try $0.schedule("tea", after: .zero, "") }
        }
        #expect(error?.code == .notKept)
    }

    @Test func `a timer that the app cannot take is kept for the next version`() async throws {
        let setup = try await DurableSetup()
        try await setup.interactor.does { try $0.schedule("tea", after: .seconds(1), "") }
        await setup.settle()
        try await setup.dies(restoring: false)
        try await setup.restores(bySuccessor: true)
        await setup.passes(5000)
        #expect(setup.journal.scheduler.earliest == nil)
        #expect(setup.session.ledger?.image.timers.count == 1)
        try await setup.dies()
        await setup.passes(0)
        #expect(await setup.interactor.lines == ["fired tea"])
        await setup.end()
    }

    @Test func `a timer in whose handler the worker ends each time is given up, and listed`()
        async throws
    {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        try await setup.interactor.does { interactor in
            try interactor.schedule("tea", every: .seconds(60), "hangs")
            try interactor.schedule("cake", after: .seconds(61), "")
        }
        await setup.passes(60_000)
        setup.now += 1000
        for death in 1...3 {
            while workshop.keys.count < death { await setup.settle() }
            #expect(await setup.interactor.deadTimers.isEmpty)
            try await setup.dies()
            await setup.passes(0)
            // Another that was due is not taken for it.
            #expect(await setup.interactor.lines == ["fired cake"])
        }
        await setup.passes(1_000_000)
        #expect(workshop.keys.count == 3)
        for _ in 1...2 {
            #expect(setup.journal.scheduler.earliest == nil)
            #expect(await setup.interactor.deadTimers["tea"]?.attempts == 3)
            #expect(await !setup.interactor.isScheduled("tea"))
            try await setup.dies()
        }
        workshop.open()
        try await setup.interactor.does { try $0.schedule("tea", after: .seconds(1), "") }
        await setup.passes(1000)
        #expect(await setup.interactor.lines == ["fired cake", "fired tea"])
        #expect(await setup.interactor.deadTimers.isEmpty)
        await setup.end()
    }

    @Test func `a repeated timer whose handlers end is never given up`() async throws {
        let setup = try await DurableSetup()
        try await setup.interactor.does { try $0.schedule("tea", every: .seconds(60), "") }
        await setup.settle()
        for firing in 1...5 {
            try await setup.dies(restoring: false)
            setup.now += 60_000
            try await setup.restores()
            await setup.passes(0)
            #expect(await setup.interactor.lines.count == firing)
        }
        #expect(setup.session.ledger?.image.timers.first?.attempts == nil)
        await setup.end()
    }

    // MARK: - Jobs

    @Test func `few jobs of a session are performed at a time, and all of them in the end`()
        async throws
    {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        try await setup.interactor.does { interactor in
            for _ in 0..<10 { try interactor.post("wait") }
        }
        await setup.passes(0)
        while workshop.keys.count < 4 { await turn() }
        await setup.passes(0)
        #expect(workshop.keys.count == 4)
        workshop.open()
        while await setup.interactor.lines.count < 10 { await setup.passes(0) }
        #expect(Set(workshop.keys).count == 10 && workshop.most == 4)
        await setup.settle()
        #expect(setup.journal.scheduler.earliest == nil)
        await setup.end()
    }

    @Test(arguments: [false, true]) func `a job that found no room in the worker waits for some`(
        isRenamed: Bool
    ) async throws {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        let (dues, session) = (setup.journal.scheduler, setup.session)
        let ledger = try #require(session.ledger)
        let taken = (0..<DueScheduler.jobsMax).map { _ in dues.takeJob(for: ledger) }
        #expect(taken.allSatisfy { $0 })
        try await setup.interactor.does { try $0.schedule("later", after: .seconds(9), "") }
        await setup.passes(0)
        #expect(ledger.inputs.isAtRest)
        try await setup.interactor.does { try $0.post("late") }
        await setup.passes(0)
        #expect(workshop.keys.isEmpty)
        #expect(!ledger.inputs.isAtRest)
        if isRenamed { session.rename(to: "study") }
        dues.jobEnded()
        await setup.passes(0)
        #expect(workshop.keys.count == 1)
        #expect(ledger.inputs.isAtRest)
        await setup.end()
    }

    @Test func `a result whose handler throws has come, and changes nothing`() async throws {
        let workshop = Workshop()
        let setup = try await DurableSetup(work: workshop.work)
        try await setup.interactor.does { _ = try $0.post("throws") }
        await setup.passes(0)
        while setup.journal.scheduler.earliest != nil { await setup.settle() }
        try await setup.dies()
        await setup.passes(1000)
        #expect(await setup.interactor.lines == [])
        #expect(workshop.keys.count == 1)
        await setup.end()
    }
}
