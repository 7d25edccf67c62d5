// CrowdFeature: the worker's side of what many fronts show.
//
// Layer      benchmark.
// Isolation  actor (loop executor); the router is @MainActor.

import NapkinCore

final actor CrowdInteractor: PresentableInteractable, CrowdPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any CrowdPresentable

    init(presenter: any CrowdPresentable) {
        self.presenter = presenter
    }

    func didBecomeActive() async {
        await presenter.present(stamp: .now(0))
    }

    func push(_ number: Int) async throws -> Bool {
        await presenter.present(stamp: .now(number))
        return true
    }

    func ping() async throws -> Bool { true }

    func storm(_ count: Int, milliseconds: Int) async throws -> Bool {
        let start = Placement.now()
        let length = UInt64(milliseconds) * 1_000_000
        var presented = 0
        while presented < count {
            let elapsed = min(length, Placement.now() - start)
            let due = Int(Double(count) * Double(elapsed) / Double(length))
            while presented < due {
                presented += 1
                await presenter.present(stamp: .now(presented))
            }
            try await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}

enum CrowdApp: App {
    static let id = "crowd"
    static let features: [any Feature.Type] = [Crowd.self]

    @MainActor
    static func makeRoot(session: String) async -> any LaunchRouting {
        let view = RemoteView<Crowd>()
        return LaunchRouter(
            interactor: CrowdInteractor(presenter: view.presenter), view: view)
    }
}
