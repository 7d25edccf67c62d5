// TaughtActor: an interactor that does what a test has taught it, and its routers.

import NapkinCore

/// Says what happened in the description that crosses.
struct Mishap: Error, CustomStringConvertible {
    let description: String
}

final actor TaughtActor: Interactable, PanelPresentableListener {
    typealias Deed = @Sendable (isolated TaughtActor) async throws -> String

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any PanelPresentable
    private(set) var heard: [Int] = []
    private var deeds: [String: Deed] = [:]

    init(presenter: any PanelPresentable) {
        self.presenter = presenter
    }

    func teach(_ name: String, _ deed: @escaping Deed) { deeds[name] = deed }

    func hear(_ number: Int) async { heard.append(number) }

    func double(_ number: Int) async throws -> Int { 2 * number }

    func act(_ name: String) async throws -> String {
        guard let deed = deeds[name] else { throw Mishap(description: "nobody taught \(name)") }
        return try await deed(self)
    }
}

@MainActor
final class PanelRouter: ViewableRouter<TaughtActor, Panel> {
    let left = ChildSlot<Panel>("left")
    let right = ChildSlot<Panel>("right", presentation: .push)

    init() {
        let view = RemoteView<Panel>()
        let interactor = TaughtActor(presenter: view.presenter)
        super.init(interactor: interactor, view: view, listener: interactor)
    }
}

@MainActor
final class TaughtRouter: LaunchRouter<TaughtActor, Panel> {
    let left = ChildSlot<Panel>("left")
    let right = ChildSlot<Panel>("right", presentation: .push)

    /// What a front that wants a panel dismissed is told; `nil` lets the router decide.
    var refusal: RemoteFault?

    init() {
        let view = RemoteView<Panel>()
        let interactor = TaughtActor(presenter: view.presenter)
        super.init(interactor: interactor, view: view, listener: interactor)
    }

    override func childWantsDismissal(_ child: any Routing) async throws(RemoteFault) {
        if let refusal { throw refusal }
        try await super.childWantsDismissal(child)
    }
}
