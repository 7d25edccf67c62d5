// JobTests: what each job of the outbox has of its own: its attempts, its end, its progress.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@testable import NapkinLedger
@testable import NapkinRuntime

extension RuntimeTests {
    /// What a job does, by its text; each attempt is noted.
    private static func work(_ journal: NapkinTesting.Journal) -> DueActor.Work {
        { job, _ in
            journal.note("tries \(job)")
            guard job == "waits" else { throw Mishap(description: "no") }
            do {
                try await Task.sleep(for: .seconds(3600))
            } catch {
                journal.note("cancelled")
                throw error
            }
            return job
        }
    }

    @Test func `a job is tried as often as its post says, over deaths`() async throws {
        let journal = NapkinTesting.Journal()
        let setup = try await DurableSetup(work: Self.work(journal))
        try await setup.interactor.does { interactor in
            try interactor.post("once", attempts: JobAttempts(most: 1))
            try interactor.post("twice", attempts: JobAttempts(most: 2, first: .seconds(60)))
        }
        await setup.passes(0)
        while await setup.interactor.lines.isEmpty { await setup.passes(0) }
        #expect(await setup.interactor.lines == ["dead once 1"])
        let open = await setup.interactor.openJobs
        #expect(open.map(\.attempts) == [1] && open.first?.isUnderWay == false)
        let next = try #require(open.first?.nextAttempt) * 1000 - Double(setup.now)
        #expect((30_000...60_000).contains(next))
        try await setup.dies()
        while await setup.interactor.lines.count < 2 { await setup.passes(60_000) }
        #expect(await setup.interactor.lines.last == "dead twice 2")
        #expect(await setup.interactor.openJobs.isEmpty)
        let keys = await setup.interactor.deadLetters.map(\.key)
        // As if it had not been tried: with the attempts that it had.
        await setup.interactor.does { interactor in
            let isRetried = interactor.retry(keys[0])
            #expect(isRetried)
        }
        while await setup.interactor.lines.count < 3 { await setup.passes(0) }
        #expect(await setup.interactor.lines.last == "dead once 1")
        await setup.end()
    }

    @Test func `an interactor is told that an attempt has failed and another follows`()
        async throws
    {
        let setup = try await DurableSetup(work: Self.work(NapkinTesting.Journal()))
        try await setup.interactor.does { interactor in
            try interactor.post("tells", attempts: JobAttempts(most: 2, first: .seconds(8)))
        }
        while await setup.interactor.lines.count < 2 { await setup.passes(8000) }
        #expect(await setup.interactor.lines == ["again after 1: no", "dead tells 2"])
        await setup.end()
    }

    @Test func `a job is cancelled before, between and in its attempts, and not after them`()
        async throws
    {
        let journal = NapkinTesting.Journal()
        let setup = try await DurableSetup(work: Self.work(journal))
        try await setup.interactor.does { interactor in
            let early = try interactor.post("early")
            #expect(interactor.openJobs.count == 1)
            let cancelled = [interactor.cancel(early), interactor.cancel(early)]
            #expect(cancelled == [true, false])
            #expect(interactor.openJobs.isEmpty)
            try interactor.post("again")
            try interactor.post("waits")
            try interactor.post("once", attempts: JobAttempts(most: 1))
        }
        await setup.passes(0)
        while journal.lines.count < 3 { await turn() }
        while await setup.interactor.lines.isEmpty { await setup.passes(0) }
        let open = await setup.interactor.openJobs
        #expect(open.map(\.isUnderWay) == [false, true])
        let dead = try #require(await setup.interactor.deadLetters.first?.key)
        await setup.interactor.does { interactor in
            let cancelled = (open.map(\.key) + [dead]).map { interactor.cancel($0) }
            #expect(cancelled == [true, true, false])
        }
        await journal.wait(for: "cancelled")
        await setup.passes(1_000_000)
        #expect(await setup.interactor.openJobs.isEmpty)
        #expect(await setup.interactor.lines == ["dead once 1"])
        #expect(journal.count(of: "tries early") == 0 && journal.count(of: "tries again") == 1)
        #expect(setup.session.ledger?.inputs.isAtRest == true)
        try await setup.dies()
        await setup.passes(1_000_000)
        #expect(journal.count(of: "tries waits") == 1)
        await setup.end()
    }
}
