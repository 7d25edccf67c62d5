// WorkflowTests: steps through a tree, in order, each when its node is active.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

/// Notes how it ended.
private final class Noted: Workflow<Probe> {
    let journal = Journal()

    override func didComplete() { journal.note("completed") }
    override func didFork() { journal.note("forked") }
    override func didReceiveError(_ error: any Error) { journal.note("error: \(error)") }

    func run(on probe: Probe) -> WorkflowRun {
        run(on: probe) { [journal] progress in
            let why = progress.message.map { " (\($0))" } ?? ""
            journal.note("\(progress.step)/\(progress.of) \(progress.name) \(progress.state)\(why)")
        }
    }
}

/// How it ended, in words.
private func ending(_ run: WorkflowRun) async -> String {
    switch await run.end {
    case .completed: "completed"
    case .failed(let error): "failed: \(error)"
    case .cancelled: "cancelled"
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct WorkflowTests {
    private let workflow = Noted()
    private let root = Probe("root")
    private let child = Probe("child")
    private var journal: Journal { workflow.journal }

    @Test("W3: steps run in order, each with what the one before returned")
    func runsInOrder() async {
        await root.activate()
        await child.activate()
        workflow
            .onStep("one") { [child] item in (child, item.name) }
            .onStep("two") { item, value in (item, "\(value) \(item.name)") }
            .onStep("three") { [journal] item, value in
                journal.note("got \(value)")
                return (item, ())
            }
            .commit()
        let run = workflow.run(on: root)
        #expect(await ending(run) == "completed")
        #expect(run.current == [])
        #expect(
            journal.lines == [
                "1/3 one running", "1/3 one done", "2/3 two running", "2/3 two done",
                "3/3 three running", "got root child", "3/3 three done", "completed",
            ])
    }

    @Test("W3: a step waits until the node that it needs is active")
    func waits() async {
        workflow.onStep("one") { [child] _ in (child, ()) }
            .onStep("two") { item, _ in (item, ()) }
            .commit()
        let run = workflow.run(on: root)
        await letOthersRun()
        #expect(journal.lines == ["1/2 one waiting"])
        #expect(run.current.map(\.name) == ["one"])
        await root.activate()
        await journal.wait(for: "2/2 two waiting")
        await letOthersRun()
        #expect(!run.hasEnded)
        await child.activate()
        #expect(await ending(run) == "completed")
        #expect(
            journal.lines == [
                "1/2 one waiting", "1/2 one running", "1/2 one done", "2/2 two waiting",
                "2/2 two running", "2/2 two done", "completed",
            ])
    }

    @Test("W3: a fork runs the shared root once; didComplete comes once, after both branches")
    func forks() async {
        await root.activate()
        let gate = Latch()
        let shared = workflow.onStep("shared") { [journal] item in
            journal.note("the root runs")
            return (item, 7)
        }
        shared.fork().onStep("left") { item, value in
            await gate.wait()
            return (item, value)
        }.commit()
        shared.fork().onStep("right") { [journal] item, value in
            journal.note("right got \(value)")
            return (item, value)
        }.commit()
        let run = workflow.run(on: root)
        await journal.wait(for: "3/3 right done")
        #expect(!run.hasEnded)
        gate.open()
        #expect(await ending(run) == "completed")
        #expect(journal.count(of: "the root runs") == 1)
        #expect(journal.count(of: "right got 7") == 1)
        #expect(journal.count(of: "forked") == 2)
        #expect(journal.count(of: "completed") == 1)
        #expect(journal.lines.last == "completed")
    }

    @Test("what is not committed does not run, and is not counted")
    func commits() async {
        await root.activate()
        let shared = workflow.onStep("shared") { item in (item, ()) }
        _ = shared.onStep("loose") { [journal] item, _ in
            journal.note("never")
            return (item, ())
        }
        shared.onStep("last") { item, _ in (item, ()) }.commit()
        #expect(await ending(workflow.run(on: root)) == "completed")
        #expect(journal.lines.contains("2/2 last done"))
        #expect(!journal.lines.contains("never"))
    }

    @Test(
        "W3: didReceiveError comes once; the other branches are cancelled, what follows never runs")
    func fails() async {
        await root.activate()
        let shared = workflow.onStep("shared") { item in (item, ()) }
        for name in ["left", "right"] {
            shared.onStep(name) { [journal] item, _ in
                await untilCancelled()
                journal.note("\(name) ends")
                try Task.checkCancellation()
                return (item, ())
            }.commit()
        }
        let broken = shared.onStep("broken") { item, _ -> (Probe, Void) in
            throw Mishap(description: "shut")
        }
        broken.onStep("after") { [journal] item, _ in
            journal.note("never")
            return (item, ())
        }.commit()
        #expect(await ending(workflow.run(on: root)) == "failed: shut")
        let lines = journal.lines
        #expect(lines.filter { $0.hasPrefix("error") } == ["error: shut"])
        #expect(lines.contains("4/5 broken failed (shut)"))
        #expect(lines.contains("2/5 left cancelled") && lines.contains("3/5 right cancelled"))
        #expect(lines.contains("left ends") && lines.contains("right ends"))
        #expect(!lines.contains("never") && !lines.contains("completed"))
    }

    @Test("W3: a step in flight is cancelled with the workflow, which tells neither hook")
    func cancels() async {
        await root.activate()
        workflow.onStep("long") { [journal] item in
            await untilCancelled()
            journal.note("step ends")
            return (item, ())
        }.onStep("after") { item, _ in (item, ()) }.commit()
        let run = workflow.run(on: root)
        await journal.wait(for: "1/2 long running")
        run.cancel()
        #expect(await ending(run) == "cancelled")
        run.cancel()
        #expect(
            journal.lines == ["1/2 long running", "step ends", "1/2 long cancelled"])
    }

    @Test("a step that waits for its node is cancelled, too")
    func cancelsWaiting() async {
        workflow.onStep("one") { item in (item, ()) }.commit()
        let run = workflow.run(on: root)
        await journal.wait(for: "1/1 one waiting")
        run.cancel()
        #expect(await ending(run) == "cancelled")
        #expect(journal.lines == ["1/1 one waiting", "1/1 one cancelled"])
    }

    @Test("cancelling the workflow cancels every branch")
    func cancelsBranches() async {
        await root.activate()
        let shared = workflow.onStep("shared") { item in (item, ()) }
        for name in ["left", "right"] {
            shared.onStep(name) { item, _ in
                await untilCancelled()
                return (item, ())
            }.commit()
        }
        let run = workflow.run(on: root)
        await journal.wait(for: "3/3 right running")
        run.cancel()
        #expect(await ending(run) == "cancelled")
        #expect(journal.lines.suffix(2).sorted() == ["2/3 left cancelled", "3/3 right cancelled"])
    }

    @Test("a step whose node goes away while it waits fails, and the workflow holds no node")
    func loses() async {
        await root.activate()
        let shared = workflow.onStep("one") { _ in (Probe("short-lived"), ()) }
        shared.onStep("two") { item, _ in (item, ()) }.commit()
        shared.onStep("three") { item, _ in (item, ()) }.commit()
        let end = await workflow.run(on: root).end
        guard case .failed(let error as WorkflowError) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(error == .nodeIsGone(step: "two") || error == .nodeIsGone(step: "three"))
    }

    @Test("a run and what its steps made are released")
    func isReleased() async {
        weak var run: WorkflowRun?
        weak var released: Noted?
        do {
            let (probe, workflow) = (Probe(), Noted())
            await probe.activate()
            let shared = workflow.onStep("one") { item in (item, ()) }
            shared.onStep("two") { item, _ in (item, ()) }.commit()
            shared.onStep("three") { item, _ in (item, ()) }.commit()
            let running = workflow.run(on: probe)
            (run, released) = (running, workflow)
            _ = await running.end
        }
        await letOthersRun()
        #expect(run == nil)
        #expect(released == nil)
    }

    @Test("a second run, and one without a commit, are programmers' errors")
    func isMisused() async {
        await #expect(processExitsWith: .failure) { @MainActor in
            let workflow = Workflow<Int>()
            _ = workflow.onStep("one") { ($0, ()) }
            workflow.run(on: 1)
        }
        await #expect(processExitsWith: .failure) { @MainActor in
            let workflow = Workflow<Int>()
            workflow.onStep("one") { ($0, ()) }.commit()
            workflow.run(on: 1)
            workflow.run(on: 1)
        }
    }
}
