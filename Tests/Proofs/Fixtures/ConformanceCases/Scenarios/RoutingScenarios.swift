// RoutingScenarios: section R, a router and its children.
//
// Isolation  @MainActor; interactors are actors.

import NapkinCore
import NapkinTesting

extension Scenarios {
    static let routing: [String: Scenario] = [
        "R1": { scene in
            scene.note("with a view: \(scene.router("page").children.count)")
            scene.note("headless: \(Router(interactor: scene.probe()).children.count)")
            scene.note("containers: \(scene.stack.children.count + scene.list.children.count)")
        },
        "R2": { scene in
            let router = scene.router("page")
            for _ in 0..<2 {
                await scene.root.attach(scene.left) { router }
                await scene.root.detach(scene.left)
            }
            try await scene.root.attachChild(router)
            await router.load()
            await scene.root.detachChild(router)
        },
        "R3": waitsForLoading,
        "R4": { scene in
            await scene.root.attach(scene.left) {
                scene.note("built, children: \(scene.root.children.count)")
                let router = scene.router(
                    "page",
                    onActive: { probe in probe.journal.note(await scene.standing(of: probe)) })
                router.onLoad = { scene.note(scene.standing(of: $0.interactor)) }
                return router
            }
            guard let router = scene.left.child as? ProbeRouter else { return }
            scene.note(scene.standing(of: router.interactor))
        },
        "R5": { scene in
            let router = scene.router(
                "page",
                onResign: { probe in
                    probe.journal.note(await scene.standing(of: probe))
                    // The front is told after what it has been told already.
                    await scene.root.interactor.presenter.present(time: 5)
                })
            await scene.root.attach(scene.left) { router }
            await scene.root.detach(scene.left)
            scene.note(scene.standing(of: router.interactor))
            scene.note("slot taken: \(scene.left.isOccupied)")
        },
        "R6": { scene in
            let (parent, child) = (scene.router("parent"), scene.router("child"))
            await scene.root.attach(scene.left) { parent }
            await parent.attach(parent.left) { child }
            await scene.notingAnomalies {
                await scene.root.detachChild(child)
                // Nor by a slot that is another router's.
                await scene.root.detach(parent.left)
            }
            scene.note(scene.standing(of: child.interactor))
            scene.note("the other parent's: \(scene.names(of: parent.children))")
        },
        "R7": cascades,
        "R8": { scene in
            let (parent, child) = (scene.router("parent"), scene.router("child"))
            await parent.attach(parent.left) { child }
            scene.note(scene.standing(of: child.interactor))
            await scene.root.attach(scene.left) { parent }
            scene.note(scene.standing(of: child.interactor))
        },
        "R9": { scene in
            let page = scene.router("page")
            try await scene.root.attachChild(page)
            do { try await scene.root.attachChild(page) } catch { scene.note("\(error)") }
            do { try await page.attachChild(scene.root) } catch { scene.note("\(error)") }
            // Slots and containers do not throw: they warn, and stay as they were.
            await scene.root.swap(scene.gate, to: scene.left) { scene.router("former") }
            await scene.notingAnomalies {
                await scene.root.attach(scene.right) { page }
                await scene.root.push(scene.right, on: scene.stack) { page }
                await scene.root.swap(scene.gate, to: scene.right) { page }
            }
            scene.note("taken: \(scene.right.isOccupied), children: \(scene.names)")
        },
        "R10": { scene in
            let requests = (0..<100).map { _ in Task.detached { await attachOne(to: scene) } }
            for request in requests { await request.value }
            scene.note("children: \(scene.names)")
            await scene.root.detach(scene.left)
        },
        "R11": { scene in
            for swap in (0..<100).map({ number in swapByHand(scene, number) }) {
                await swap.value
            }
            let byHand = scene.names
            await scene.root.detach(scene.right)
            for swap in (0..<100).map({ number in swapByContainer(scene, number) }) {
                await swap.value
            }
            let bySwitch = scene.names
            await scene.root.detach(scene.gate)
            scene.journal.wipe()
            scene.note("by hand: \(byHand)")
            scene.note("by a switch: \(bySwitch)")
        },
        "R13": { scene in
            let routers = (0..<5).map { scene.router("\($0)") }
            for router in routers { try await scene.root.attachChild(router) }
            await scene.root.detachChild(routers[1])
            try await scene.root.attachChild(routers[1])
            for key in ["x", "y", "z"] { await attach(key, to: scene) }
            await scene.root.detach(scene.list["x"])
            await attach("x", to: scene)
            scene.journal.wipe()
            scene.note("children: \(scene.names)")
            scene.note("keys: \(scene.list.keys.joined(separator: " "))")
            scene.note("list: \(scene.names(of: scene.list.children))")
        },
        "R14": takesPermanentChildren,
        "R15": { scene in
            for name in ["bottom", "middle", "top"] {
                await scene.root.push(scene.list[name], on: scene.stack) {
                    scene.router(name, onTap: { _ in await scene.root.popToRoot(scene.stack) })
                }
            }
            scene.journal.wipe()
        },
    ]

    private static let waitsForLoading: Scenario = { scene in
        let router = scene.router("page")
        let gate = HeldTasks()
        router.onLoad = { router in
            // In `didLoad` itself it does not wait: that would be for ever.
            await router.loaded()
            scene.note("in the middle")
            await gate.pass()
            scene.note("didLoad ends")
        }
        // A dispatched task runs at once, up to where it waits.
        let early = dispatch {
            await router.loaded()
            scene.note("who waits is told")
        }
        let loading = dispatch { await router.load() }
        let middle = dispatch {
            await router.loaded()
            scene.note("who waits is told")
        }
        scene.note("nobody is told")
        gate.open()
        for task in [early, loading, middle] { await task.value }
        let late = dispatch {
            await router.loaded()
            scene.note("late is told")
        }
        scene.note("that was at once")
        await late.value
    }

    private static let cascades: Scenario = { scene in
        let family = Family()
        let late = scene.router("late")
        for name in ["a", "b", "c"] {
            let router = scene.router(
                name,
                onActive: { probe in
                    probe.task {
                        await untilCancelled()
                        // Were it waited for before the children, it would never end.
                        await family.untilInactive(below: probe)
                        probe.journal.note("\(name)'s task ends: \(await family.standing)")
                    }
                },
                onResign: { probe in
                    probe.journal.note(await family.standing)
                    if name == "c" { await family.attach(late, under: "b") }
                })
            family.routers.append(router)
            guard family.routers.count > 1 else {
                await scene.root.attach(scene.left) { router }
                continue
            }
            let parent = family.routers[family.routers.count - 2]
            await parent.attach(parent.left) { router }
        }
        scene.journal.wipe()
        await scene.root.detach(scene.left)
        scene.note("detached: \(family.standing)")
        scene.note("late: \(scene.standing(of: late.interactor))")
    }

    private static let takesPermanentChildren: Scenario = { scene in
        let (parent, child) = (scene.router("parent"), scene.router("child"))
        parent.onLoad = { await $0.attach($0.left) { child } }
        await scene.root.attach(scene.left) { parent }
        await scene.root.detach(scene.left)
        scene.note(scene.standing(of: child.interactor))
        // Tabs are permanent children, of which one is seen.
        let tabbed = scene.router("tabbed")
        tabbed.onLoad = { router in
            let tabs = [
                Tab(router.left) { (_: ProbeRouter) in scene.router("first") },
                Tab(router.right, attaching: .atOnce) { (_: ProbeRouter) in
                    scene.router("second")
                },
            ]
            await router.open(scene.tabs, tabs)
        }
        await scene.root.attach(scene.left) { tabbed }
        await tabbed.select(tabbed.right, in: scene.tabs)
        scene.note("selected: \(scene.tabs.selected ?? "none")")
        await scene.root.detach(scene.left)
    }

    @MainActor
    private static func attachOne(to scene: Scene) async {
        await scene.root.attach(scene.left) {
            scene.note("built")
            await Task.yield()
            return scene.router("page")
        }
    }

    @MainActor
    private static func attach(_ key: String, to scene: Scene) async {
        await scene.root.attach(scene.list[key]) { scene.router(key) }
    }

    /// Even numbers go to the left, odd ones to the right.
    @MainActor
    private static func swapByHand(_ scene: Scene, _ number: Int) -> Task<Void, Never> {
        let (from, to) =
            number.isMultiple(of: 2) ? (scene.right, scene.left) : (scene.left, scene.right)
        return dispatch {
            await scene.root.transition {
                await scene.root.detach(from)
                await scene.root.attach(to) {
                    scene.router("\(number)", onActive: { _ in await Task.yield() })
                }
            }
        }
    }

    @MainActor
    private static func swapByContainer(_ scene: Scene, _ number: Int) -> Task<Void, Never> {
        let slot = number.isMultiple(of: 2) ? scene.left : scene.right
        return dispatch {
            await scene.root.swap(scene.gate, to: slot) {
                scene.router("\(number)", onActive: { _ in await Task.yield() })
            }
        }
    }
}

/// Routers of three levels, from the top.
@MainActor
private final class Family {
    var routers: [ProbeRouter] = []

    /// Which of them are active.
    var standing: String {
        let active = routers.map(\.interactor).filter(\.lifecycle.isActive).map(\.name)
        return "active: \(active.isEmpty ? "none" : active.joined(separator: " "))"
    }

    /// Waits for those below, also in a task that has been cancelled.
    func untilInactive(below probe: Probe) async {
        let below = routers.drop { $0.interactor !== probe }.dropFirst().map(\.interactor)
        for probe in below {
            let states = probe.isActiveStream
            await Task { for await isActive in states where !isActive { return } }.value
        }
    }

    func attach(_ router: ProbeRouter, under name: String) async {
        guard let parent = routers.first(where: { $0.interactor.name == name }) else { return }
        await parent.attach(parent.right) { router }
    }
}

extension Journal {
    /// Forgets what led to the point at which a promise begins.
    fileprivate func wipe() { _ = take() }
}
