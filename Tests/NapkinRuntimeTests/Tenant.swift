// Tenant: an interactor that does what a test has taught it, and its routers.

import NapkinCore

/// Says what happened in the description that crosses.
struct Mishap: Error, CustomStringConvertible {
    let description: String
}

final actor Tenant: Interactable, RoomPresentableListener {
    typealias Deed = @Sendable (isolated Tenant) async throws -> String

    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any RoomPresentable
    private(set) var heard: [Int] = []
    private var deeds: [String: Deed] = [:]

    init(presenter: any RoomPresentable) {
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
final class RoomRouter: ViewableRouter<Tenant, Room> {
    let left = ChildSlot<Room>("left")
    let right = ChildSlot<Room>("right", presentation: .push)

    init() {
        let view = RemoteView<Room>()
        let tenant = Tenant(presenter: view.presenter)
        super.init(interactor: tenant, view: view, listener: tenant)
    }
}

@MainActor
final class HallRouter: LaunchRouter<Tenant, Room> {
    let left = ChildSlot<Room>("left")
    let right = ChildSlot<Room>("right", presentation: .push)

    /// What a front that wants a room dismissed is told; `nil` lets the router decide.
    var refusal: RemoteFault?

    init() {
        let view = RemoteView<Room>()
        let tenant = Tenant(presenter: view.presenter)
        super.init(interactor: tenant, view: view, listener: tenant)
    }

    override func childWantsDismissal(_ child: any Routing) async throws(RemoteFault) {
        if let refusal { throw refusal }
        try await super.childWantsDismissal(child)
    }
}
