// InventoryTests: everything that is created is released, and what is not has its owner named.

import NapkinCore
import TestSupport
import Testing

/// Streams and tasks that outlive the feature which made them.
@MainActor
private final class Drawer {
    var values: BufferedStream<Int>?
    var events: BufferedStream<Int>?
    var scope: AsyncStream<Bool>?
    private var tasks: [Task<Void, Never>] = []

    func keep(values: BufferedStream<Int>) { self.values = values }
    func keep(events: BufferedStream<Int>) { self.events = events }
    func keep(scope: AsyncStream<Bool>) { self.scope = scope }
    func keep(_ task: Task<Void, Never>) { tasks.append(task) }

    /// Returns when all tasks have ended.
    func tasksEnded() async {
        for task in tasks { await task.value }
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct InventoryTests {
    /// What stays of a tree that is not kept here: its inventory.
    private func withRoot(_ body: (RootRouter, TreeInventory) async throws -> Void) async throws
        -> TreeInventory
    {
        let root = RootRouter()
        await root.launch(on: FakeStage())
        let inventory = try #require(root.core.inventory)
        try await body(root, inventory)
        await root.shutDown()
        return inventory
    }

    /// A page whose tasks read a cell, a bus and the scope's own stream, with a child like it.
    private func page(_ cell: StateCell<Int>, _ bus: EventBus<Int>, depth: Int = 1) -> PageRouter {
        let page = PageRouter(
            Probe(onActive: { probe in
                probe.task { @MainActor in for await _ in cell.values {} }
                probe.task { @MainActor in for await _ in bus.events {} }
                probe.task { @MainActor in for await _ in probe.isActiveStream {} }
                await probe.task {}.value
            }))
        if depth > 0 {
            page.onLoad = { page in
                await page.attach(page.right) { self.page(cell, bus, depth: depth - 1) }
            }
        }
        return page
    }

    private func texts(_ inventory: TreeInventory) -> [String] {
        inventory.report().remnants.map(\.description)
    }

    @Test("W6: after 1,000 attach and detach cycles everything created has been released")
    func releasesEverything() async throws {
        let (cell, bus) = (StateCell(0), EventBus<Int>())
        let inventory = try await withRoot { root, inventory in
            for _ in 0..<1000 {
                await root.attach(root.left) { page(cell, bus) }
                await root.detach(root.left)
            }
            await letOthersRun()
            let report = inventory.report()
            #expect(report.isClean, "\(report.remnants)")
            for kind in [TreeInventory.Kind.node, .router, .scope, .sender] {
                #expect(report[kind].created == 2001 && report[kind].inUse == 1, "\(kind)")
            }
            #expect(report[.slot].created == 2000 && report[.slot].released == 2000)
            #expect(report[.task].created == 8000 && report[.task].released == 8000)
            #expect(report[.stream].created == 6000 && report[.stream].released == 6000)
        }
        await letOthersRun()
        let report = inventory.report()
        #expect(report.isClean, "\(report.remnants)")
        #expect(report.counts.allSatisfy { $0.created == $0.released }, "\(report.counts)")
    }

    @Test("what is in use is not left")
    func countsWhatIsInUse() async throws {
        let (cell, bus) = (StateCell(0), EventBus<Int>())
        _ = try await withRoot { root, inventory in
            await root.attach(root.left) { page(cell, bus) }
            let report = inventory.report()
            #expect(report.isClean)
            #expect(report[.node].inUse == 3 && report[.slot].inUse == 2)
            // The fourth has finished.
            #expect(report[.task].created == 8 && report[.task].inUse == 6)
            #expect(report[.stream].inUse == 6)
        }
    }

    // MARK: - Leaks on purpose

    @Test("W6: a router that a closure keeps is named by its path, with what it keeps")
    func namesKeptRouter() async throws {
        var keeper: (() -> any Routing)?
        let inventory = try await withRoot { root, inventory in
            await root.attach(root.left) {
                let page = PageRouter("kept")
                page.onLoad = { await $0.attach($0.right) { PageRouter("child") } }
                keeper = { page }
                return page
            }
            await root.detach(root.left)
            await letOthersRun()
            let parts = ["the interactor", "the node", "the router", "the sender of its presenter"]
            #expect(
                texts(inventory) == (parts + ["slot \"right\""]).sorted().map { "page/left: \($0)" }
                    + parts.map { "page/left/right: \($0)" })
            #expect(inventory.report()[.node].left == 2)
        }
        // It is named also when the whole tree has gone.
        await letOthersRun()
        #expect(texts(inventory).contains("page/left: the router"))
        #expect(keeper != nil)
        keeper = nil
        #expect(inventory.report().counts.allSatisfy { $0.created == $0.released })
    }

    @Test("W6: a task that ignores its cancellation is named by its path, name and place")
    func namesStubbornTask() async throws {
        let (latch, drawer) = (Latch(), Drawer())
        var line: UInt = 0
        let inventory = try await withRoot { root, inventory in
            await root.attach(root.left) {
                line = #line + 5
                return PageRouter(
                    Probe(
                        lifecycle: InteractorLifecycle(drainDeadline: .milliseconds(10)),
                        onActive: { probe in
                            await drawer.keep(probe.task(name: "stubborn") { await latch.wait() })
                            for _ in 0..<3 {
                                await drawer.keep(probe.task { await latch.wait() })
                            }
                        }))
            }
            #expect(inventory.report()[.task].inUse == 4)
            await root.detach(root.left)
            let place = "RuntimeTests/InventoryTests.swift"
            #expect(
                texts(inventory) == [
                    "page/left: task \"stubborn\" started at \(place):\(line)",
                    "page/left: task started at \(place):\(line + 2) (3 times)",
                ])
            #expect(inventory.report()[.task].left == 4)
        }
        latch.open()
        await drawer.tasksEnded()
        let report = inventory.report()
        #expect(report.isClean, "\(report.remnants)")
        #expect(report[.task].created == 4 && report[.task].released == 4)
    }

    @Test("W6: a stream that is never read to its end is named by its path and its source")
    func namesUnreadStream() async throws {
        let drawer = Drawer()
        let line: UInt = #line + 1
        let (cell, bus) = (StateCell(7), EventBus<Int>())
        let other = Probe("other")
        let inventory = try await withRoot { root, inventory in
            await root.attach(root.left) {
                PageRouter(
                    Probe(onActive: { probe in
                        // Each runs on a thread of its own, and attach returns when all have ended.
                        await probe.task { await drawer.keep(values: cell.values) }.value
                        await probe.task { await drawer.keep(events: bus.events) }.value
                        await probe.task { await drawer.keep(scope: other.isActiveStream) }.value
                    }))
            }
            #expect(inventory.report().isClean && inventory.report()[.stream].inUse == 3)
            var reader = drawer.values?.makeAsyncIterator()
            #expect(await reader?.next() == 7)
            reader = nil
            await root.detach(root.left)
            let place = "RuntimeTests/InventoryTests.swift:\(line)"
            #expect(
                texts(inventory) == [
                    "page/left: stream of a StateCell made at \(place)",
                    "page/left: stream of a scope's isActive",
                    "page/left: stream of an EventBus made at \(place)",
                ])
        }
        (drawer.values, drawer.events, drawer.scope) = (nil, nil, nil)
        let report = inventory.report()
        #expect(report.isClean && report[.stream].created == 3, "\(report.remnants)")
        #expect(report[.stream].released == 3)
    }

    // MARK: - Inventorys

    @Test("a router that is attached elsewhere is in use, and found under its new path")
    func followsRouter() async throws {
        _ = try await withRoot { root, inventory in
            let page = PageRouter("page")
            await root.attach(root.left) { page }
            await root.detach(root.left)
            #expect(texts(inventory).contains("page/left: the router"))
            await root.attach(root.right) { page }
            #expect(inventory.report().isClean)
            await root.detach(root.right)
            #expect(texts(inventory).contains("page/right: the router"))
        }
    }

    @Test("each tree has an inventory of its own, and the process has all")
    func keepsTreesApart() async throws {
        let before = TreeInventory.process.report()[.node].created
        _ = try await withRoot { first, inventory in
            await first.attach(first.left) { PageRouter("page") }
            _ = try await withRoot { _, other in
                #expect(other.report()[.node].created == 1)
                #expect(inventory.report()[.node].created == 2)
            }
        }
        // Other tests run meanwhile.
        #expect(TreeInventory.process.report()[.node].created >= before + 3)
    }

    @Test("what was built before its parent was attached comes with it")
    func takesSubtreeAlong() async throws {
        let parent = PageRouter("parent")
        let child = PageRouter("child")
        await parent.attach(parent.left) { child }
        _ = try await withRoot { root, inventory in
            #expect(inventory.report()[.node].created == 1)
            await root.attach(root.right) { parent }
            let report = inventory.report()
            #expect(report.isClean && report[.node].created == 3 && report[.slot].created == 2)
            await root.detach(root.right)
            #expect(texts(inventory).contains("page/right/left: the router"))
        }
    }
}
