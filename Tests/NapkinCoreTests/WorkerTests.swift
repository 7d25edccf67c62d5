// WorkerTests: work that starts and stops with a scope.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

/// Writes down its hooks; `didStart` waits for `gate`, if there is one.
private final class Clerk: Worker {
    let journal = Journal()
    var gate: Latch?
    var work: (@Sendable () async -> Void)?

    override func didStart(_ scope: any InteractorScope) async {
        journal.note("start \(await scope.isActive)")
        if let work { task { await work() } }
        await gate?.wait()
        journal.note("started")
    }

    override func didStop() { journal.note("stop") }

    /// The hooks so far, when `line` has come for the `count`th time.
    func lines(until line: String, _ count: Int = 1) async -> [String] {
        while journal.count(of: line) < count { await Task.yield() }
        await letOthersRun()
        return journal.lines
    }
}

@MainActor
@Suite(.timeLimit(.minutes(3)))
struct WorkerTests {
    private let probe = Probe()
    private let clerk = Clerk()

    @Test("W1: didStart once, only while the scope is active; a second start does nothing")
    func startsOnce() async {
        clerk.start(probe)
        #expect(clerk.isStarted)
        await letOthersRun()
        #expect(clerk.journal.lines == [])
        await probe.activate()
        #expect(await clerk.lines(until: "started") == ["start true", "started"])
        clerk.start(probe)
        clerk.start(Probe())
        await letOthersRun()
        #expect(clerk.journal.lines == ["start true", "started"])
        await probe.deactivate()
    }

    @Test("W1: on an active scope it starts at once")
    func startsOnActive() async {
        await probe.activate()
        clerk.start(probe)
        #expect(await clerk.lines(until: "started") == ["start true", "started"])
    }

    @Test("W1: it starts again on re-activation, and stops on each deactivation")
    func startsAgain() async {
        clerk.start(probe)
        for round in 1...3 {
            await probe.activate()
            _ = await clerk.lines(until: "started", round)
            await probe.deactivate()
            _ = await clerk.lines(until: "stop", round)
        }
        let round = ["start true", "started", "stop"]
        #expect(clerk.journal.lines == round + round + round)
        #expect(clerk.isStarted)
    }

    @Test("W1: stop() calls didStop at once, and only once; start() binds anew")
    func stops() async {
        await probe.activate()
        clerk.start(probe)
        _ = await clerk.lines(until: "started")
        clerk.stop()
        #expect(!clerk.isStarted)
        #expect(clerk.journal.lines == ["start true", "started", "stop"])
        clerk.stop()
        await probe.deactivate()
        await probe.activate()
        await letOthersRun()
        #expect(clerk.journal.lines == ["start true", "started", "stop"])
        clerk.start(probe)
        _ = await clerk.lines(until: "started", 2)
        #expect(clerk.journal.count(of: "start true") == 2)
    }

    @Test("W1: stop() before the scope is active runs no hook")
    func stopsBefore() async {
        clerk.start(probe)
        clerk.stop()
        await probe.activate()
        await letOthersRun()
        #expect(clerk.journal.lines == [])
    }

    @Test("a didStart under way is cancelled by stop(); didStop follows it, then the next didStart")
    func stopsDuringStart() async {
        let gate = Latch()
        clerk.gate = gate
        await probe.activate()
        clerk.start(probe)
        _ = await clerk.lines(until: "start true")
        clerk.stop()
        clerk.start(probe)
        await letOthersRun()
        #expect(clerk.journal.lines == ["start true"])
        gate.open()
        #expect(
            await clerk.lines(until: "started", 2)
                == ["start true", "started", "stop", "start true", "started"])
    }

    @Test("a race of starts, stops and activations ends as the last of them says")
    func races() async {
        for round in 0..<50 {
            let (probe, clerk) = (Probe(), Clerk())
            let ends = round.isMultiple(of: 2)
            let activations = Task {
                for _ in 0..<5 {
                    await probe.activate()
                    await probe.deactivate()
                }
                await probe.activate()
            }
            for _ in 0..<round % 7 {
                clerk.start(probe)
                await Task.yield()
                clerk.stop()
            }
            clerk.start(probe)
            await activations.value
            if ends { clerk.stop() }
            while isRunning(clerk) == ends { await Task.yield() }
            clerk.stop()
            while isRunning(clerk) { await Task.yield() }
        }
    }

    /// Whether the last didStart has had no didStop; they never overlap.
    private func isRunning(_ clerk: Clerk) -> Bool {
        var isRunning = false
        for line in clerk.journal.lines where line != "started" {
            #expect(isRunning == (line == "stop"))
            isRunning = line != "stop"
        }
        return isRunning
    }

    @Test("W2: the scope is held weakly, and the worker ends with it")
    func holdsWeakly() async {
        var probe: Probe? = Probe()
        weak let scope = probe
        if let probe {
            await probe.activate()
            clerk.start(probe)
        }
        _ = await clerk.lines(until: "started")
        probe = nil
        #expect(await clerk.lines(until: "stop") == ["start true", "started", "stop"])
        #expect(scope == nil)
        #expect(!clerk.isStarted)
    }

    @Test("nothing keeps a worker whose scope is gone")
    func isReleased() async {
        weak var released: Clerk?
        do {
            let (probe, clerk) = (Probe(), Clerk())
            released = clerk
            await probe.activate()
            clerk.start(probe)
            _ = await clerk.lines(until: "started")
        }
        while released != nil { await Task.yield() }
    }

    @Test("a task of the worker is cancelled when the work ends, and the next start waits for it")
    func bindsTasks() async {
        let (journal, gate) = (clerk.journal, Latch())
        clerk.work = {
            await untilCancelled()
            journal.note("cancelled")
            await gate.wait()
            journal.note("done")
        }
        await probe.activate()
        clerk.start(probe)
        _ = await clerk.lines(until: "started")
        clerk.stop()
        clerk.start(probe)
        _ = await clerk.lines(until: "cancelled")
        #expect(journal.lines == ["start true", "started", "stop", "cancelled"])
        gate.open()
        #expect(await clerk.lines(until: "started", 2).dropFirst(4).first == "done")
        clerk.stop()
        clerk.task { journal.note("never") }
        await letOthersRun()
        #expect(!journal.lines.contains("never"))
    }

    @Test("isStartedStream has the current value, then each change")
    func streams() async {
        var values = clerk.isStartedStream.makeAsyncIterator()
        #expect(await values.next() == false)
        clerk.start(probe)
        #expect(await values.next() == true)
        clerk.stop()
        #expect(await values.next() == false)
    }
}
