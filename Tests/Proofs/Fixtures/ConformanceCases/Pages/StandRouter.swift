// StandRouter: the stand's two places, and the room in which scenarios attach what they need.

import NapkinCore
import NapkinTesting

@MainActor
final class StandRouter: LaunchRouter<StandInteractor, Stand>, StandRouting {
    private let left = ChildSlot<Page>("left")
    private let right = ChildSlot<Page>("right", presentation: .push)
    private let process = ChildRoute<StandRouter, Page>(
        "left", PageBuilder.self, isolation: .process
    ) { router in router.interactor }
    /// Whether the page at the left has a process of its own.
    private let isApart: Bool
    /// What they share; scenarios tell a front through it how far they are.
    let desk: Desk
    /// The page at the left, when fronts have been told of it.
    let page = StateCell<PageInteractor?>(nil)

    private init(
        _ interactor: StandInteractor, _ view: RemoteView<Stand>, _ desk: Desk, isApart: Bool
    ) {
        (self.desk, self.isApart) = (desk, isApart)
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    static func build(isApart: Bool) async -> StandRouter {
        let view = RemoteView<Stand>()
        let desk = Desk()
        let interactor = StandInteractor(presenter: view.presenter, desk: desk)
        let router = StandRouter(interactor, view, desk, isApart: isApart)
        await interactor.wire(router: router)
        return router
    }

    private func slot(_ side: Side) -> ChildSlot<Page> {
        switch side {
        case .left: isApart ? process : left
        case .right: right
        }
    }

    func open(_ name: String, at side: Side) async {
        if isApart, side == .left { return await attach(process, arguments: .init(name: name)) }
        await attach(slot(side)) {
            await PageRouter.build(name, listener: interactor, desk: desk)
        }
        page.value = left.child?.interactable as? PageInteractor
    }

    func close(_ side: Side) async {
        await detach(slot(side))
        page.value = left.child?.interactable as? PageInteractor
    }

    func swap(_ name: String, at side: Side) async {
        await transition {
            await detach(slot(side))
            await open(name, at: side)
        }
    }

    func name(at side: Side) -> String? {
        // What is attached there is a page.
        try? slot(side).child?.core.node?.arguments.decode(Page.Arguments.self).name
    }

    func run(_ scenario: String) async throws -> [String] {
        guard let body = Scenarios.all[scenario] else { throw UnknownScenario(name: scenario) }
        let scene = Scene(root: self, journal: desk.journal)
        try await body(scene)
        return desk.journal.take()
    }
}

/// No such scenario.
struct UnknownScenario: Error, CustomStringConvertible {
    let name: String

    var description: String { "there is no scenario \(name)" }
}
