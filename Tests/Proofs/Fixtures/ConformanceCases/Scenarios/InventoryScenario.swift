// InventoryScenario: W6, everything that is made under the session's root is released.
//
// Isolation  @MainActor; interactors are actors.

import NapkinCore
import NapkinTesting

extension Scenarios {
    static let inventory: [String: Scenario] = [
        "W6": { scene in
            guard let inventory = scene.root.core.inventory else {
                return scene.note("no inventory")
            }
            let audit = Audit(scene, inventory)
            for _ in 0..<1000 {
                await scene.root.attach(scene.left) { audit.page() }
                await scene.root.detach(scene.left)
            }
            await audit.waits(for: TreeInventory.Kind.allCases)
            audit.noteCounts()
            await audit.leaks()
        }
    ]
}

/// What an inventory counts from the moment on in which this was made.
@MainActor
private final class Audit {
    private let scene: Scene
    private let inventory: TreeInventory
    private let before: InventoryReport
    private let cell = StateCell(0)
    private let bus = EventBus<Int>()

    init(_ scene: Scene, _ inventory: TreeInventory) {
        self.scene = scene
        self.inventory = inventory
        before = inventory.report()
    }

    /// A page with four tasks and three streams, and a child like it.
    func page(hasChild: Bool = true) -> ProbeRouter {
        let router = ProbeRouter(
            scene.quietProbe(onActive: { [cell, bus] probe in
                probe.task { @MainActor in for await _ in cell.values {} }
                probe.task { @MainActor in for await _ in bus.events {} }
                probe.task { @MainActor in for await _ in probe.isActiveStream {} }
                probe.task {}
            }))
        guard hasChild else { return router }
        router.onLoad = { [self] router in
            await router.attach(router.right) { page(hasChild: false) }
        }
        return router
    }

    /// Returns when everything of these kinds has been released, or nothing more comes of waiting.
    ///
    /// A release is nobody's event: it is looked for after each turn.
    func waits(for kinds: [TreeInventory.Kind]) async {
        for _ in 0..<1000 {
            let report = inventory.report()
            if kinds.allSatisfy({ made($0, report) == released($0, report) }) { return }
            await Task.yield()
        }
    }

    func noteCounts() {
        let report = inventory.report()
        for kind in TreeInventory.Kind.allCases {
            let counts = "\(made(kind, report)) made, \(released(kind, report)) released"
            scene.note("\(kind): \(counts)")
        }
        noteRemnants()
    }

    /// Keeps a page, and a task that does not hear that it is cancelled.
    func leaks() async {
        let gate = HeldTasks()
        var kept: ProbeRouter?
        await scene.root.attach(scene.left) {
            let router = page()
            kept = router
            return router
        }
        await scene.root.detach(scene.left)
        await waits(for: [.task, .stream])
        await scene.root.attach(scene.right) {
            ProbeRouter(
                scene.quietProbe(
                    lifecycle: InteractorLifecycle(drainDeadline: .milliseconds(10)),
                    onActive: { probe in
                        probe.task(name: "stubborn", file: "Probe.swift", line: 7) {
                            await gate.pass()
                        }
                    }))
        }
        await scene.root.detach(scene.right)
        scene.note("with a page and a task that are kept\(kept == nil ? ", not" : ""):")
        noteRemnants()
        kept = nil
        gate.open()
        await waits(for: TreeInventory.Kind.allCases)
        let report = inventory.report()
        let isBalanced = TreeInventory.Kind.allCases.allSatisfy {
            made($0, report) == released($0, report)
        }
        scene.note("let go; released: \(isBalanced)")
        noteRemnants()
    }

    private func noteRemnants() {
        let remnants = inventory.report().remnants.map(\.description)
        for line in remnants.isEmpty ? ["nothing is left"] : remnants { scene.note(line) }
    }

    private func made(_ kind: TreeInventory.Kind, _ report: InventoryReport) -> Int {
        report[kind].created - before[kind].created
    }

    private func released(_ kind: TreeInventory.Kind, _ report: InventoryReport) -> Int {
        report[kind].released - before[kind].released
    }
}
