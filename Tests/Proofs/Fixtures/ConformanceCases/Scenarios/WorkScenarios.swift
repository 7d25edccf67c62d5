// WorkScenarios: section W, workers, workflows and what is confined to a scope.
//
// Isolation  @MainActor; interactors are actors.

import NapkinCore
import NapkinTesting
import ProofSupport

extension Scenarios {
    static let work: [String: Scenario] = [
        "W1": startsWithItsScope,
        "W2": { scene in
            let worker = NotedWorker(scene.journal)
            var probe: Probe? = scene.quietProbe()
            weak let scope = probe
            if let probe {
                await probe.activate()
                worker.start(probe)
            }
            await scene.noted("did start: true")
            scene.note("let go")
            probe = nil
            await scene.noted("did stop")
            scene.note("scope kept: \(scope != nil), bound: \(worker.isStarted)")
        },
        "W3": { scene in
            try await walksInOrder(scene)
            try await failsOnce(scene)
            try await isCancelled(scene)
        },
        "W4": { scene in
            let url = "conformance://table/from%20the%20link"
            let root = scene.root
            let run = try ConformanceApp.deepLinks.open(
                url, of: ConformanceApp.id, on: root
            ) { progress in
                // The front hears of it, and lets somebody in when the link waits.
                scene.note("\(progress.name) \(progress.state)")
            }
            scene.note(await run.ending)
        },
        "W5": passesWhileActive,
    ]

    private static let startsWithItsScope: Scenario = { scene in
        let worker = NotedWorker(scene.journal)
        let probe = scene.quietProbe()
        for _ in 0..<2 { worker.start(probe) }
        scene.note("bound: \(worker.isStarted)")
        for round in 1...2 {
            scene.note("activate")
            await probe.activate()
            await scene.noted("did start: true", round)
            // It is bound: that does nothing.
            worker.start(probe)
            guard round == 1 else { break }
            scene.note("deactivate")
            await probe.deactivate()
            await scene.noted("did stop", round)
        }
        scene.note("stop")
        for _ in 0..<2 { worker.stop() }
        await scene.noted("did stop", 2)
        scene.note("bound: \(worker.isStarted)")
        await probe.deactivate()
        await probe.activate()
        scene.note("start")
        worker.start(probe)
        await scene.noted("did start: true", 3)
        scene.note("deactivate")
        await probe.deactivate()
        await scene.noted("did stop", 3)
    }

    // MARK: - Workflows

    /// Its second step needs a node that somebody attaches meanwhile.
    @MainActor
    private static func walksInOrder(_ scene: Scene) async throws {
        let host = scene.quietProbe()
        await host.activate()
        let router = ProbeRouter(scene.quietProbe())
        let node = router.interactor
        let gate = HeldTasks()
        let workflow = NotedWorkflow(scene.journal)
        let shared = workflow.onStep("one") { _ in
            scene.note("one runs")
            return (node, 7)
        }.onStep("two") { node, value in
            scene.note("two got \(value), active: \(await node.isActive)")
            return (node, value + 1)
        }
        shared.fork().onStep("left") { node, value in
            await gate.pass()
            scene.note("left got \(value)")
            return (node, value)
        }.commit()
        shared.fork().onStep("right") { node, value in
            scene.note("right got \(value)")
            return (node, value)
        }.commit()
        let run = workflow.start(on: host)
        await scene.noted("two waiting")
        scene.note("attach")
        await scene.root.attach(scene.left) { router }
        await scene.noted("right got 8")
        scene.note("ended: \(run.hasEnded)")
        gate.open()
        scene.note(await run.ending)
        await scene.root.detach(scene.left)
    }

    /// Two branches throw; the second does because it is cancelled.
    @MainActor
    private static func failsOnce(_ scene: Scene) async throws {
        let host = scene.quietProbe()
        await host.activate()
        let workflow = NotedWorkflow(scene.journal)
        let shared = workflow.onStep("shared") { host in (host, ()) }
        shared.onStep("stays") { host, _ in
            scene.note("stays runs")
            await untilCancelled()
            scene.note("stays ends")
            if Task.isCancelled { throw Mishap(description: "late") }
            return (host, ())
        }.commit()
        shared.onStep("breaks") { host, _ in
            await scene.noted("stays runs")
            // What follows never runs.
            if await host.isActive { throw Mishap(description: "shut") }
            return (host, ())
        }.onStep("after") { host, _ in
            scene.note("after runs")
            return (host, ())
        }.commit()
        scene.note(await workflow.start(on: host).ending)
    }

    /// A step in flight ends with the workflow, which tells neither hook.
    @MainActor
    private static func isCancelled(_ scene: Scene) async throws {
        let host = scene.quietProbe()
        await host.activate()
        let workflow = NotedWorkflow(scene.journal)
        workflow.onStep("long") { host in
            scene.note("long runs")
            await untilCancelled()
            scene.note("long ends")
            return (host, ())
        }.onStep("after") { host, _ in
            scene.note("after runs")
            return (host, ())
        }.commit()
        let run = workflow.start(on: host)
        await scene.noted("long runs")
        for _ in 0..<2 { run.cancel() }
        scene.note(await run.ending)
    }

    // MARK: - Confinement

    private static let passesWhileActive: Scenario = { scene in
        let bus = EventBus<Int>()
        let events = CountedEvents(bus)
        var probe: Probe? = scene.quietProbe()
        weak let scope = probe
        guard let confined = probe.map({ events.confined(to: $0) }) else { return }
        let reader = Task {
            for await event in confined { scene.note("got \(event)") }
            scene.note("over")
        }
        // Whatever has been asked for after it has been taken by the sequence.
        await events.areTaken(0)
        for event in 1...5 { bus.send(event) }
        await events.areTaken(5)
        scene.note("activate")
        await probe?.activate()
        await scene.noted("got 5")
        bus.send(6)
        await scene.noted("got 6")
        scene.note("deactivate")
        await probe?.deactivate()
        await events.areTaken(6)
        for event in 7...9 { bus.send(event) }
        await events.areTaken(9)
        scene.note("activate")
        await probe?.activate()
        await scene.noted("got 9")
        scene.note("let go")
        probe = nil
        await reader.value
        scene.note("scope kept: \(scope != nil)")
    }
}

/// Work that notes when it starts and stops.
private final class NotedWorker: Worker {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    override func didStart(_ scope: any InteractorScope) async {
        journal.note("did start: \(await scope.isActive)")
    }

    override func didStop() { journal.note("did stop") }
}

/// Notes how it ended, and each step that waits, fails or is cancelled.
private final class NotedWorkflow: Workflow<Probe> {
    private let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        super.init()
    }

    override func didComplete() { journal.note("didComplete") }
    override func didFork() { journal.note("didFork") }
    override func didReceiveError(_ error: any Error) { journal.note("didReceiveError: \(error)") }

    func start(on probe: Probe) -> WorkflowRun {
        run(on: probe) { [journal] progress in
            switch progress.state {
            case .waiting, .failed, .cancelled: journal.note("\(progress.name) \(progress.state)")
            case .running, .done: break
            }
        }
    }
}

private struct Mishap: Error, CustomStringConvertible {
    let description: String
}

extension WorkflowRun {
    /// How it ended, in words.
    fileprivate var ending: String {
        get async {
            switch await end {
            case .completed: "completed"
            case .failed(let error): "failed: \(error)"
            case .cancelled: "cancelled"
            }
        }
    }
}
