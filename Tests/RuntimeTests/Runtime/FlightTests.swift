// FlightTests: which input a worker names if the code that runs ends it.

import Glibc
import NapkinCore
import NapkinTransport
import Synchronization
import TestSupport
import Testing

@testable import NapkinLedger
@testable import NapkinProtocol
@testable import NapkinRuntime

/// The input that the worker's page would name if the running code ended the process.
private func dying() -> FlightInput? { deathNow().running }

/// There is one page: threads that look at it at the same time would each undo the other's death.
private let page = Mutex(())

/// What the worker's page would say.
private func deathNow() -> FlightRecording {
    let recording = page.withLock { _ in
        FlightRecorder.dies(by: SIGILL, nil, nil)
        defer { FlightRecorder.dies(by: 0, nil, nil) }
        return FlightRecording(
            Array(
                UnsafeRawBufferPointer(start: FlightRecorder.page.memory, count: FlightPage.bytes)))
    }
    // More than the test's own code, and less than a machine has.
    #expect((1 << 20..<1 << 40).contains(recording.bytes))
    #expect(recording.peakBytes >= recording.bytes)
    return recording
}

/// Tells the recorder its thread, in each job that looks: the main actor, which is the loop here,
/// may have another thread of the pool in each.
// SAFETY: called in jobs of the main actor, and of actors on its executor.
private func tellThread() { MainActor.assumeIsolated { FlightRecorder.open(descriptor: -1) } }

/// Notes which input each piece of work belongs to, and holds some of it up.
private final class Notes: Sendable {
    private let state = Mutex<[(work: String, input: FlightInput?)]>([])

    var all: [(work: String, input: FlightInput?)] { state.withLock { $0 } }
    var inputs: [FlightInput?] { all.map(\.input) }

    func note(_ work: String) {
        let input = dying()
        state.withLock { $0.append((work, input)) }
    }

    /// Fails, hangs for good, or returns.
    func work(_ work: String, _ key: JobKey) async throws -> String {
        note(work)
        if work.hasPrefix("dies") { throw Mishap(description: "no") }
        let isFirst = all.count { $0.work == work } == 1
        if work == "wait" || work == "end of dies slowly" && isFirst { await untilCancelled() }
        return work
    }

    @MainActor
    func workOnLoop(_ work: String, _ key: JobKey) async throws -> String {
        tellThread()
        note(work)
        await turn()
        note(work + " later")
        if work.hasPrefix("dies") { throw Mishap(description: "no") }
        return work
    }
}

/// The events that the page says wait, each time that one begins.
private final class Counts: Sendable {
    private let state = Mutex<[UInt16]>([])

    var all: [UInt16] { state.withLock { $0 } }
    func note() {
        tellThread()
        state.withLock { $0.append(deathNow().waiting) }
    }
}

extension FlightInput {
    fileprivate var isTimer: Bool {
        kind == .firing && method == MethodID(key: "timerFired(_:_:)").rawValue
    }
}

extension RuntimeTests {
    private func open() { tellThread() }

    @Test func `an event is named until it waits and when it goes on, whatever runs in between`()
        async throws
    {
        open()
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let (notes, latch) = (Notes(), Latch())
        await setup.root.interactor.teach("wait") { _ in
            tellThread()
            notes.note("first")
            await latch.wait()
            notes.note("later")
            return ""
        }
        let waits = Task.immediate { try await viewer.panel(1).act("wait") }
        while notes.all.isEmpty { await turn() }
        #expect(dying() == nil)
        // More than a page remembers.
        for round in 0..<2 * FlightPage.recordsMax {
            _ = try await viewer.panel(1).double(round)
        }
        #expect(dying() == nil)
        latch.open()
        _ = try await waits.value
        let input = try #require(notes.inputs.first ?? nil)
        #expect(notes.inputs == [input, input])
        #expect(input.kind == .event && input.node == 1 && input.sequence == 1)
        #expect(input.method == MethodID(key: "act(_:)").rawValue)
        #expect(dying() == nil)
        await setup.end()
    }

    @Test func `an event is noted with the number of those that wait before it`() async throws {
        open()
        let setup = await SessionSetup()
        let viewers = [try await setup.attach(), try await setup.attach()]
        let (counts, latch) = (Counts(), Latch())
        await setup.root.interactor.teach("wait") { _ in
            counts.note()
            await latch.wait()
            return ""
        }
        await setup.root.interactor.teach("last") { _ in
            counts.note()
            return ""
        }
        let waiting = viewers.flatMap { viewer in
            (0..<2).map { _ in Task.immediate { try await viewer.panel(1).act("wait") } }
        }
        while counts.all.count < 4 { await turn() }
        _ = try await viewers[0].panel(1).act("last")
        latch.open()
        for task in waiting { _ = try await task.value }
        _ = try await viewers[1].panel(1).act("last")
        #expect(counts.all == [0, 1, 2, 3, 4, 0])
        await setup.end()
    }

    @Test func `a call that is used again does not name the event that it had before`() async throws
    {
        open()
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let notes = Notes()
        await setup.root.interactor.teach("wait") { _ in
            await turn()
            notes.note("later")
            return ""
        }
        for sequence in 1...3 as ClosedRange<UInt64> {
            _ = try await viewer.panel(1).act("wait")
            #expect(notes.inputs.last??.sequence == sequence)
        }
        await setup.end()
    }

    @Test func `a launch is named while it runs, also after a wait, and nothing after it`() async {
        open()
        let notes = Notes()
        let task = Task {
            await LaunchCall(of: "office", epoch: 1).run {
                tellThread()
                notes.note("first")
                await turn()
                notes.note("later")
            }
        }
        await task.value
        #expect(notes.inputs.map(\.?.kind) == [.launch, .launch])
        #expect(notes.inputs.map(\.?.session) == ["office", "office"])
        await turn()
        #expect(dying() == nil)
    }

    @Test func `a bound task is named by what it is, and so is what it starts`() async throws {
        open()
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let (notes, latch, lifecycle) = (Notes(), Latch(), InteractorLifecycle())
        await lifecycle.activate {}
        await setup.root.interactor.teach("start") { _ in
            lifecycle.register(name: "poll") { @MainActor in
                tellThread()
                notes.note("first")
                await latch.wait()
                tellThread()
                notes.note("later")
                async let other: Void = notes.note("elsewhere")
                await other
                lifecycle.register(name: "inner") { notes.note("inner") }
            }
            return ""
        }
        _ = try await viewer.panel(1).act("start")
        #expect(dying() == nil)
        latch.open()
        while notes.all.count < 4 { await turn() }
        #expect(notes.inputs.map(\.?.kind) == [.event, .task, .task, .task])
        let inputs = notes.inputs.compactMap(\.self)
        #expect(Set(inputs.map(\.session)).count == 1)
        #expect(inputs[1].isEqual(to: inputs[2]) && !inputs[1].isEqual(to: inputs[3]))
        #expect(dying() == nil)
        await lifecycle.deactivate {}
        await setup.end()
    }

    @Test(arguments: [1, 2])
    func `a task that has ended the worker twice is not started by the session's launch`(
        deaths: Int
    ) async throws {
        open()
        let (notes, lifecycle) = (Notes(), InteractorLifecycle())
        await lifecycle.activate {}
        func launch() async {
            await LaunchCall(of: "office", epoch: 1).run {
                tellThread()
                lifecycle.register(name: "poll") { @MainActor in notes.note("task") }
                notes.note("launch")
            }
        }
        await launch()
        #expect(notes.inputs.map(\.?.kind) == [.task, .launch])
        quarantine(notes.inputs[0], deaths: deaths, receipt: 5)
        defer { FlightRecorder.quarantine = QuarantineStateMachine() }
        #expect(FlightRecorder.suspectSessions == (deaths == 1 ? ["office"] : []))
        await launch()
        let again = deaths == 1 ? ["task", "launch"] : ["launch"]
        #expect(notes.all.map(\.work) == ["task", "launch"] + again)
        await lifecycle.deactivate {}
    }

    @Test(arguments: [false, true])
    func `timers and jobs are named on the loop and off it, and nothing at rest`(
        isOnLoop: Bool
    ) async throws {
        open()
        let notes = Notes()
        let setup = try await DurableSetup(work: isOnLoop ? notes.workOnLoop : notes.work)
        try await setup.interactor.does { interactor in
            try interactor.schedule("tea", after: .seconds(1), "works")
            try interactor.post("works")
            try interactor.post("dies")
        }
        await setup.settle()
        let jobs = try #require(setup.session.ledger).image.newestInput
        while setup.journal.scheduler.earliest != nil {
            await setup.passes(20_000)
            #expect(dying() == nil)
        }
        let expected: [String: FlightInput.Kind] = [
            "timer": .firing, "works": .job, "result": .job, "dies": .job,
            "end of dies": .deadJob,
        ]
        var seen: Set<String> = []
        for (work, input) in notes.all {
            let name = work.replacing(" later", with: "")
            seen.insert(name)
            let input = try #require(input, "\(work)")
            #expect(input.kind == expected[name], "\(work)")
            #expect(input.session == "office" && input.node == 1 && input.front == 0, "\(work)")
            #expect((1...jobs).contains(input.sequence), "\(work)")
        }
        #expect(seen == Set(expected.keys))
        await setup.end()
    }

    @Test func `an input has changed a state from its first change on, also after a wait`()
        async throws
    {
        open()
        let notes = Notes()
        let setup = try await DurableSetup(work: notes.workOnLoop)
        for payload in ["works", "waits"] {
            try await setup.interactor.does { try $0.schedule(payload, after: .zero, payload) }
        }
        while notes.all.count < 4 { await setup.passes(0) }
        let changed = notes.all.filter { $0.input?.hasChanged == true }.map(\.work)
        #expect(changed == ["wait", "wait later"])
        #expect(notes.inputs.allSatisfy { $0?.isTimer == true })
        await setup.end()
    }

    @Test
    func `the death after which a timer is given up is its last, and its reason has a receipt`()
        async throws
    {
        open()
        let notes = Notes()
        let setup = try await DurableSetup(work: notes.work)
        try await setup.interactor.does { try $0.schedule("tea", after: .seconds(1), "hangs") }
        await setup.passes(1000)
        for death in 1...3 {
            while notes.all.count < death { await setup.settle() }
            if death == 3 { quarantine(notes.inputs.last ?? nil, deaths: 3, receipt: 7) }
            try await setup.dies()
            await setup.passes(0)
        }
        defer { FlightRecorder.quarantine = QuarantineStateMachine() }
        #expect(notes.inputs.map(\.?.isTimer) == [true, true, true])
        #expect(notes.inputs.map(\.?.isLast) == [nil, nil, true])
        while await setup.interactor.deadTimers.isEmpty { await setup.passes(0) }
        let reason = await setup.interactor.deadTimers["tea"]?.reason
        #expect(reason == "the worker ended each time while its handler ran: receipt 7")
        await setup.end()
    }

    @Test func `the death after which a job is given up is its last, and its reason has a receipt`()
        async throws
    {
        open()
        let notes = Notes()
        let setup = try await DurableSetup(work: notes.work)
        try await setup.interactor.does { _ = try $0.post("wait") }
        // The first attempt is not recorded.
        for attempt in 1...4 {
            await setup.passes(0)
            while notes.all.count < attempt { await turn() }
            if attempt == 4 { quarantine(notes.inputs.last ?? nil, deaths: 4, receipt: 8) }
            try await setup.dies()
        }
        defer { FlightRecorder.quarantine = QuarantineStateMachine() }
        #expect(notes.inputs.map(\.?.isLast) == [nil, nil, nil, true])
        while await setup.interactor.deadLetters.isEmpty { await setup.passes(0) }
        let reason = await setup.interactor.deadLetters.first?.failure.reason
        #expect(reason == "the worker ended during attempt 3: receipt 8")
        await setup.end()
    }

    @Test(arguments: [1, 2])
    func `the handler of a job's failure that has ended the worker twice does not run again`(
        deaths: Int
    ) async throws {
        open()
        let notes = Notes()
        let setup = try await DurableSetup(work: notes.work)
        try await setup.interactor.does { _ = try $0.post("dies slowly") }
        while notes.all.last?.work != "end of dies slowly" { await setup.passes(20_000) }
        let input = try #require(notes.inputs.last ?? nil)
        await setup.settle()
        try await setup.dies(restoring: false)
        #expect(input.kind == .deadJob && input.isLast == nil)
        quarantine(input, deaths: deaths, receipt: 9)
        defer { FlightRecorder.quarantine = QuarantineStateMachine() }
        try await setup.restores()
        while setup.journal.scheduler.earliest != nil { await setup.passes(0) }
        let runsAgain = deaths == 1
        #expect(notes.all.count { $0.work == "end of dies slowly" } == (runsAgain ? 2 : 1))
        #expect(await setup.interactor.lines == (runsAgain ? ["dead dies slowly 3"] : []))
        #expect(await setup.interactor.deadLetters.count == 1)
        await setup.end()
    }

    private func quarantine(_ input: FlightInput?, deaths: Int, receipt: UInt64) {
        guard let input else { return }
        FlightRecorder.quarantine = QuarantineStateMachine([
            .init(input: input, deaths: deaths, receipt: receipt, at: 0)
        ])
    }
}
