// ChildTabsTests: a fixed set of children, one of them selected.

import NapkinCore
import NapkinTesting
import TestSupport
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ChildTabsTests {
    let journal = Journal()
    let stage: FakeStage
    let root: TabRouter

    init() async { (stage, root) = await launched(TabRouter(journal), journal) }

    private let names = ["menu", "orders", "news"]

    @Test("the first tab and those for at once are attached when the tabs are opened")
    func opens() throws {
        #expect(
            stage.batches == ["mount 1; mount 2 under 1 in menu; mount 3 under 1 in news"])
        #expect(journal.count(of: "orders built") == 0)
        #expect((root.menu.child as? PageRouter)?.node.presentation == .tab)
        #expect(try root.bar == TabBar(names: names, selected: "menu"))
    }

    @Test("a tab is built when it is selected for the first time, and then it stays")
    func buildsOnce() async throws {
        _ = journal.take()
        await root.select(root.orders, in: root.tabs)
        // Fronts know the tab before they hear that it is selected.
        #expect(journal.lines.suffix(2) == ["mount 4 under 1 in orders", "state of 1"])
        #expect(try root.bar == TabBar(names: names, selected: "orders"))
        await root.select(root.menu, in: root.tabs)
        await root.select(root.orders, in: root.tabs)
        #expect(root.tabs.selected == "orders")
        #expect(journal.count(of: "orders built") == 1)
        #expect(journal.count(of: "menu built") == 0)
        for child in root.children { #expect(await child.interactable.isActive) }
        #expect(root.children.count == 3)
    }

    @Test("R11: a storm of selections ends with the last asked for")
    func selectsTheLast() async throws {
        let root = self.root
        let storm = (0...50).map { number in
            dispatch {
                let slots = [root.orders, root.news, root.menu]
                await root.select(slots[number % 3], in: root.tabs)
            }
        }
        for selection in storm { await selection.value }
        #expect(try root.bar?.selected == "menu")
        #expect(journal.count(of: "orders built") == 1)
    }

    @Test("what a front selects by name is the router's to decide")
    func asksTheRouter() async throws {
        func select(_ name: String, as label: String) throws {
            let call = NotedCall(label, to: root.node, journal)
            var writer = CBORWriter()
            try writer.write(name)
            writer.copyBytes().withUnsafeBytes { root.node.receive(.selectTab, $0, call) }
        }
        try select("orders", as: "first")
        await journal.wait(for: "first succeeded")
        #expect(root.tabs.selected == "orders")
        try select("oven", as: "second")
        await journal.wait(
            for: "second failed: refused: page has no tab oven; it has menu, orders, news")
        root.refusal = RemoteFault(.refused, "the kitchen is closed")
        try select("menu", as: "third")
        await journal.wait(for: "third failed: refused: the kitchen is closed")
        #expect(root.tabs.selected == "orders")
    }

    @Test("a selection that cannot be read is an error of the payload")
    func refusesUnreadable() async {
        let call = NotedCall("select", to: root.node, journal)
        root.node.receive(.selectTab, UnsafeRawBufferPointer(start: nil, count: 0), call)
        #expect(journal.lines.contains { $0.hasPrefix("select failed: ") })
    }

    @Test("R2: launched again, fronts are told again which tab is selected")
    func presentsAgain() async throws {
        let home = TabRouter(journal)
        let parent = RootRouter(journal)
        await parent.launch(on: stage)
        await parent.attach(parent.left) { home }
        await home.select(home.orders, in: home.tabs)
        await parent.detach(parent.left)
        #expect(home.node.states.isEmpty)
        await parent.attach(parent.left) { home }
        #expect(try home.bar == TabBar(names: names, selected: "orders"))
        #expect(home.children.count == 3)
    }

    @Test("W6: the tabs' builders do not keep the router")
    func releases() async {
        weak var router: TabRouter?
        do {
            let journal = Journal()
            let root = TabRouter(journal)
            let stage = FakeStage(journal)
            await root.launch(on: stage)
            await root.shutDown()
            router = root
        }
        await letOthersRun()
        #expect(router == nil)
    }
}
