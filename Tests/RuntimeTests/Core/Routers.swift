// Routers: a root, a page and a headless router that tests put together as they need them.

import NapkinCore
import NapkinTesting

/// What a page's router and the root have in common: slots, and a `didLoad` from outside.
@MainActor
final class PageRouter: ViewableRouter<Probe, Page> {
    let left = ChildSlot<Page>("left")
    let right = ChildSlot<Page>("right", presentation: .push)
    var onLoad: (PageRouter) async -> Void = { _ in }

    init(_ interactor: Probe) {
        super.init(interactor: interactor, view: RemoteView(), listener: interactor)
    }

    convenience init(_ name: String, _ journal: Journal = Journal()) {
        self.init(Probe(name, journal: journal))
    }

    override func didLoad() async {
        interactor.journal.note("\(interactor.name) loads")
        await onLoad(self)
    }
}

/// Launches a root on a stage that notes what it is shown.
@MainActor
func launched<Root: LaunchRouting>(_ root: Root, _ journal: Journal) async -> (FakeStage, Root) {
    let stage = FakeStage(journal)
    await root.launch(on: stage)
    return (stage, root)
}

@MainActor
final class RootRouter: LaunchRouter<Probe, Page> {
    let left = ChildSlot<Page>("left")
    let right = ChildSlot<Page>("right", presentation: .push)

    init(_ interactor: Probe) {
        super.init(interactor: interactor, view: RemoteView(), listener: interactor)
    }

    convenience init(_ journal: Journal = Journal()) {
        self.init(Probe("root", journal: journal))
    }
}

@MainActor
final class SilentRouter: Router<Probe> {
    let page = ChildSlot<Page>("page")
    let pages = ChildStack()
}
