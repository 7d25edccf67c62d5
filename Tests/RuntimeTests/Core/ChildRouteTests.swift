// ChildRouteTests: slots that say how their children are made.

import NapkinCore
import NapkinTesting
import Testing

/// A root with a route of each kind.
@MainActor
private final class RouteRouter: LaunchRouter<Probe, Page> {
    let pages = ChildStack()
    let embedded = ChildRoute<RouteRouter, Page>("embedded") { router, _ in router.page("a") }
    let pushed = ChildRoute<RouteRouter, Page>("pushed", on: \.pages) { router, _ in
        router.page("b")
    }
    let headless = ChildRoute<RouteRouter, Page>("headless") { router in
        Probe("c", journal: router.journal)
    }
    let journal: Journal

    init(_ journal: Journal) {
        self.journal = journal
        let probe = Probe("root", journal: journal)
        super.init(interactor: probe, view: RemoteView(), listener: probe)
    }

    func page(_ name: String) -> PageRouter {
        journal.note("\(name) built")
        return PageRouter(name, journal)
    }
}

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ChildRouteTests {
    private let journal = Journal()
    private let stage: FakeStage
    private let root: RouteRouter

    init() async { (stage, root) = await launched(RouteRouter(journal), journal) }

    @Test func `a route's child is attached once, and detached like a slot's`() async {
        await root.attach(root.embedded)
        await root.attach(root.embedded)
        #expect(journal.count(of: "a built") == 1)
        #expect(stage.batches.last == "mount 2 under 1 in embedded")
        await root.detach(root.embedded)
        #expect(!root.embedded.isOccupied)
    }

    @Test func `a route with a stack pushes its child`() async {
        await root.attach(root.pushed)
        await root.attach(root.pushed)
        #expect(root.pages.children.count == 1)
        #expect((root.pages.top as? PageRouter)?.node.presentation == .push)
        await root.pop(root.pushed, off: root.pages)
        #expect(root.pages.isEmpty && !root.pushed.isOccupied)
    }

    @Test func `a route's child is attached anew in one batch`() async {
        for route in [root.embedded, root.pushed] {
            await root.attach(route)
            let (batches, former) = (stage.batches.count, route.child)
            await root.reattach(route, arguments: NoArguments())
            #expect(stage.batches.count == batches + 1)
            #expect(route.child != nil && route.child !== former)
        }
        #expect(root.pages.children.count == 1)
        #expect(journal.count(of: "a built") == 2 && journal.count(of: "b built") == 2)
    }

    @Test func `a route's child may have no view`() async {
        await root.attach(root.headless)
        #expect(await root.headless.child?.interactable.isActive == true)
        #expect(stage.batches.count == 1)
    }

    @Test func `a route that its router does not store ends the process, in words`() async {
        let result = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { @MainActor in
            let journal = Journal()
            let (_, root) = await launched(RouteRouter(journal), journal)
            await root.attach(
                ChildRoute<RouteRouter, Page>("stray") { router, _ in router.page("d") })
        }
        let words = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(words.contains("the route 'stray' must be a stored property of RouteRouter"))
    }
}
