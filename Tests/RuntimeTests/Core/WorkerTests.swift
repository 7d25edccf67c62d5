// WorkerTests: work that starts and stops with a scope.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

/// Writes down its hooks; `didStart` waits for `gate`, if there is one.
private final class NotedWorker: Worker {
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
@Suite(.timeLimit(.minutes(10)))
struct WorkerTests {
    private let probe = Probe()
    private let worker = NotedWorker()

    @Test("W1: didStart once, only while the scope is active; a second start does nothing")
    func startsOnce() async {
        worker.start(probe)
        #expect(worker.isStarted)
        await letOthersRun()
        #expect(worker.journal.lines == [])
        await probe.activate()
        #expect(await worker.lines(until: "started") == ["start true", "started"])
        worker.start(probe)
        worker.start(Probe())
        await letOthersRun()
        #expect(worker.journal.lines == ["start true", "started"])
        await probe.deactivate()
    }

    @Test("W1: it starts again on re-activation, and stops on each deactivation")
    func startsAgain() async {
        worker.start(probe)
        for round in 1...3 {
            await probe.activate()
            _ = await worker.lines(until: "started", round)
            await probe.deactivate()
            _ = await worker.lines(until: "stop", round)
        }
        let round = ["start true", "started", "stop"]
        #expect(worker.journal.lines == round + round + round)
        #expect(worker.isStarted)
    }

    @Test("W1: stop() calls didStop at once, and only once; start() binds anew")
    func stops() async {
        await probe.activate()
        worker.start(probe)
        _ = await worker.lines(until: "started")
        worker.stop()
        #expect(!worker.isStarted)
        #expect(worker.journal.lines == ["start true", "started", "stop"])
        worker.stop()
        await probe.deactivate()
        await probe.activate()
        await letOthersRun()
        #expect(worker.journal.lines == ["start true", "started", "stop"])
        worker.start(probe)
        _ = await worker.lines(until: "started", 2)
        #expect(worker.journal.count(of: "start true") == 2)
    }

    @Test("W1: stop() before the scope is active runs no hook")
    func stopsBefore() async {
        worker.start(probe)
        worker.stop()
        await probe.activate()
        await letOthersRun()
        #expect(worker.journal.lines == [])
    }

    @Test("a didStart under way is cancelled by stop(); didStop follows it, then the next didStart")
    func stopsDuringStart() async {
        let gate = Latch()
        worker.gate = gate
        await probe.activate()
        worker.start(probe)
        _ = await worker.lines(until: "start true")
        worker.stop()
        worker.start(probe)
        await letOthersRun()
        #expect(worker.journal.lines == ["start true"])
        gate.open()
        #expect(
            await worker.lines(until: "started", 2)
                == ["start true", "started", "stop", "start true", "started"])
    }

    @Test("a race of starts, stops and activations ends as the last of them says")
    func races() async {
        for round in 0..<50 {
            let (probe, worker) = (Probe(), NotedWorker())
            let ends = round.isMultiple(of: 2)
            let activations = Task {
                for _ in 0..<5 {
                    await probe.activate()
                    await probe.deactivate()
                }
                await probe.activate()
            }
            for _ in 0..<round % 7 {
                worker.start(probe)
                await Task.yield()
                worker.stop()
            }
            worker.start(probe)
            await activations.value
            if ends { worker.stop() }
            while isRunning(worker) == ends { await Task.yield() }
            worker.stop()
            while isRunning(worker) { await Task.yield() }
        }
    }

    /// Whether the last didStart has had no didStop; they never overlap.
    private func isRunning(_ worker: NotedWorker) -> Bool {
        var isRunning = false
        for line in worker.journal.lines where line != "started" {
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
            worker.start(probe)
        }
        _ = await worker.lines(until: "started")
        probe = nil
        #expect(await worker.lines(until: "stop") == ["start true", "started", "stop"])
        #expect(scope == nil)
        #expect(!worker.isStarted)
    }

    @Test("nothing keeps a worker whose scope is gone")
    func isReleased() async {
        weak var released: NotedWorker?
        do {
            let (probe, worker) = (Probe(), NotedWorker())
            released = worker
            await probe.activate()
            worker.start(probe)
            _ = await worker.lines(until: "started")
        }
        while released != nil { await Task.yield() }
    }

    @Test("a task of the worker is cancelled when the work ends, and the next start waits for it")
    func bindsTasks() async {
        let (journal, gate) = (worker.journal, Latch())
        worker.work = {
            await untilCancelled()
            journal.note("cancelled")
            await gate.wait()
            journal.note("done")
        }
        await probe.activate()
        worker.start(probe)
        _ = await worker.lines(until: "started")
        worker.stop()
        worker.start(probe)
        _ = await worker.lines(until: "cancelled")
        #expect(journal.lines == ["start true", "started", "stop", "cancelled"])
        gate.open()
        #expect(await worker.lines(until: "started", 2).dropFirst(4).first == "done")
        worker.stop()
        worker.task { journal.note("never") }
        await letOthersRun()
        #expect(!journal.lines.contains("never"))
    }

    @Test("isStartedStream has the current value, then each change")
    func streams() async {
        var values = worker.isStartedStream.makeAsyncIterator()
        #expect(await values.next() == false)
        worker.start(probe)
        #expect(await values.next() == true)
        worker.stop()
        #expect(await values.next() == false)
    }
}
