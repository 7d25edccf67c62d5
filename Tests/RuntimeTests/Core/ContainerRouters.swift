// ContainerRouters: routers with the ready-made containers, which tests drive.

import NapkinCore
import NapkinTesting

/// A root with one of each container.
@MainActor
final class ContainerRouter: LaunchRouter<Probe, Page> {
    let sides = ChildSwitch()
    let pages = ChildStack()
    let left = ChildSlot<Page>("left")
    let right = ChildSlot<Page>("right")
    let sheet = ChildSlot<Page>("sheet", presentation: .modal)
    let photos = ChildList<Int, Page>("photos")
    let journal: Journal
    /// What is said to a front that wants a child dismissed; `nil` lets the router decide.
    var refusal: RemoteFault?

    init(_ journal: Journal) {
        self.journal = journal
        let probe = Probe("root", journal: journal)
        super.init(interactor: probe, view: RemoteView(), listener: probe)
    }

    override func childWantsDismissal(_ child: any Routing) async throws(RemoteFault) {
        if let refusal { throw refusal }
        try await super.childWantsDismissal(child)
    }

    /// A page that notes when it is built.
    func page(_ name: String) -> PageRouter {
        journal.note("\(name) built")
        return PageRouter(name, journal)
    }

    /// The names of the children, in their order.
    var names: [String] { Self.names(children) }

    static func names(_ routers: [any Routing]) -> [String] {
        routers.compactMap { ($0 as? PageRouter)?.interactor.name }
    }
}

/// A page with tabs.
@MainActor
final class TabRouter: LaunchRouter<Probe, Page> {
    let tabs = ChildTabs()
    let menu = ChildSlot<Page>("menu")
    let orders = ChildSlot<Page>("orders")
    let news = ChildSlot<Page>("news")
    let journal: Journal
    var refusal: RemoteFault?

    init(_ journal: Journal) {
        self.journal = journal
        let probe = Probe("root", journal: journal)
        super.init(interactor: probe, view: RemoteView(), listener: probe)
    }

    override func didLoad() async {
        await open(
            tabs,
            [
                Tab(menu) { $0.page("menu") },
                Tab(orders) { $0.page("orders") },
                Tab(news, attaching: .atOnce) { $0.page("news") },
            ])
    }

    override func tabWantsSelection(_ name: String) async throws(RemoteFault) {
        if let refusal { throw refusal }
        try await super.tabWantsSelection(name)
    }

    private func page(_ name: String) -> PageRouter {
        journal.note("\(name) built")
        return PageRouter(name, journal)
    }

    /// What fronts are told of the tabs.
    var bar: TabBar? {
        get throws { try node.payload(of: .tabs)?.decode(TabBar.self) }
    }
}
