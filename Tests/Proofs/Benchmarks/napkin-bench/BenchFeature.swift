// BenchFeature: the worker's side of the measured feature.

import NapkinCore

final actor BenchInteractor: Interactable, BenchPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    private var count: Int64 = 0

    func add(_ item: CartItem) async throws -> CartReceipt {
        count += Int64(item.quantity)
        return CartReceipt(ok: item.tags.count == 2, count: count)
    }
}

enum BenchApp: App {
    static let id = "bench"
    static let features: [any Feature.Type] = [Bench.self]

    @MainActor
    static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        LaunchRouter(Bench.self) { _ in BenchInteractor() }
    }
}
