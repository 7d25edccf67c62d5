// LifecycleScenarios: section L, the lifecycle of an interactor.
//
// Isolation  @MainActor; interactors are actors.

import NapkinCore
import NapkinTesting

extension Scenarios {
    static let lifecycle: [String: Scenario] = [
        "L1": { scene in
            scene.note("active: \(await scene.probe().isActive)")
        },
        "L2": { scene in
            let probe = scene.probe()
            await probe.activate()
            scene.note("active: \(await probe.isActive)")
        },
        "L3": { scene in await scene.probe().activate() },
        "L4": { scene in
            let probe = scene.probe()
            for _ in 0..<3 { await probe.activate() }
        },
        "L5": { scene in
            let probe = scene.probe()
            await probe.activate()
            await probe.deactivate()
            scene.note("active: \(await probe.isActive)")
        },
        "L6": { scene in
            let probe = scene.probe()
            await probe.activate()
            await probe.deactivate()
        },
        "L7": { scene in await scene.probe().deactivate() },
        "L8": { scene in
            var probe: Probe? = scene.probe()
            var states = probe?.isActiveStream.makeAsyncIterator()
            scene.note("current: \(String(describing: await states?.next()))")
            await probe?.activate()
            await probe?.activate()
            scene.note("then: \(String(describing: await states?.next()))")
            await probe?.deactivate()
            scene.note("then: \(String(describing: await states?.next()))")
            probe = nil
            scene.note("at last: \(String(describing: await states?.next()))")
        },
        "L9": { scene in
            await scene.probe(onActive: { $0.journal.note("sees \($0.isActive)") }).activate()
        },
        "L10": { scene in
            let probe = scene.probe(onResign: { $0.journal.note("sees \($0.isActive)") })
            await probe.activate()
            await probe.deactivate()
        },
        "L11": { scene in
            let probe = scene.probe(onResign: { _ in await Task.yield() })
            await probe.activate()
            await withTaskGroup { group in
                for _ in 0..<100 { group.addTask { await probe.deactivate() } }
            }
            scene.note("active: \(await probe.isActive)")
        },
        "L12": cancelsAndWaits,
        "L13": presentsNothingAfterwards,
        "L14": { scene in
            let probe = scene.probe()
            await probe.task { scene.note("ran") }.value
            await probe.activate()
            await probe.deactivate()
            await probe.task { scene.note("ran") }.value
            scene.note("tasks: \(probe.lifecycle.boundTaskCount)")
        },
        "L15": { scene in
            let probe = scene.probe(onResign: { probe in
                // Asked for in the middle: it is kept, and done afterwards.
                await probe.activate()
                probe.journal.note("asked to be active again")
            })
            await probe.activate()
            await probe.deactivate()
            scene.note("active: \(await probe.isActive)")
        },
        "L16": { scene in
            let probe = scene.probe(onActive: { probe in
                probe.task {
                    await untilCancelled()
                    probe.journal.note("task ended")
                }
                await probe.deactivate()
            })
            await probe.activate()
            scene.note("active: \(await probe.isActive)")
            scene.note("tasks: \(probe.lifecycle.boundTaskCount)")
        },
        "L17": { scene in
            let probe = scene.probe()
            await probe.activate()
            for _ in 0..<10_000 { await probe.task {}.value }
            scene.note("tasks: \(probe.lifecycle.boundTaskCount)")
        },
        "L18": { scene in
            let probe = scene.probe()
            for _ in 0..<2 {
                await probe.activate()
                await probe.deactivate()
            }
        },
        "L19": keepsTheNewestOnly,
    ]

    private static let cancelsAndWaits: Scenario = { scene in
        let lifecycle = InteractorLifecycle(drainDeadline: .milliseconds(50))
        let gate = HeldTasks()
        let probe = scene.probe(lifecycle: lifecycle)
        await probe.activate()
        // A bound task runs at once, up to its first suspension.
        await probe.task {
            await untilCancelled()
            scene.note("cancelled")
        }
        await probe.deactivate()
        scene.note("inactive")
        // One that does not end is given up, and stays cancelled.
        await probe.activate()
        await probe.task { await gate.pass() }
        await probe.deactivate()
        scene.note("inactive, with \(lifecycle.boundTaskCount) overdue")
        gate.open()
    }

    /// Each stream is read when its sender has gone: then nothing follows what it kept.
    private static let keepsTheNewestOnly: Scenario = { scene in
        var probe: Probe? = scene.quietProbe()
        var cell: StateCell<Int>? = StateCell(0)
        var bus: EventBus<Int>? = EventBus(capacity: 4)
        let streams = (probe?.isActiveStream, cell?.values, bus?.events)
        for number in 1...1000 {
            await probe?.activate()
            await probe?.deactivate()
            cell?.value = number
            bus?.send(number)
        }
        await probe?.activate()
        (probe, cell, bus) = (nil, nil, nil)
        var kept: (states: [Bool], values: [Int], events: [Int]) = ([], [], [])
        if let states = streams.0 { for await state in states { kept.states.append(state) } }
        if let values = streams.1 { for await value in values { kept.values.append(value) } }
        if let events = streams.2 { for await event in events { kept.events.append(event) } }
        scene.note("a scope: \(kept.states)")
        scene.note("a StateCell: \(kept.values)")
        scene.note("an EventBus for 4: \(kept.events)")
    }

    private static let presentsNothingAfterwards: Scenario = { scene in
        let router = scene.router("child")
        let probe = router.interactor
        await scene.root.attach(scene.left) { router }
        await probe.presenter.present(text: "before")
        await scene.root.detach(scene.left)
        await probe.presenter.present(text: "after")
        scene.note("states: \(router.view.node.states.count)")
    }
}

/// Sleeps until the calling task is cancelled.
func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
}

/// Holds tasks, cancelled or not, until it is opened.
@MainActor
final class HeldTasks {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func pass() async {
        if !isOpen { await withCheckedContinuation { waiting.append($0) } }
    }

    func open() {
        isOpen = true
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
