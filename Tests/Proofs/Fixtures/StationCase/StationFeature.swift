// StationFeature: the hall, which calls a train whenever somebody whistles on the platform.

public import NapkinCore

public enum StationApp: App {
    public static let id = "station"
    public static let features: [any Feature.Type] = [Station.self, Platform.self]

    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        let view = RemoteView<Station>()
        let interactor = StationInteractor(presenter: view.presenter)
        let router = StationRouter(interactor: interactor, view: view, listener: interactor)
        await interactor.wire(router: router)
        return router
    }
}

@MainActor
protocol StationRouting: LaunchRouting {
    func routeToPlatform() async
}

@MainActor
final class StationRouter: LaunchRouter<StationInteractor, Station>, StationRouting {
    private let pages = ChildStack()
    private let platform = ChildSlot<Platform>("platform")

    func routeToPlatform() async {
        await push(platform, on: pages) { _ in PlatformInteractor(listener: interactor) }
    }
}

final actor StationInteractor: PresentableInteractable, StationPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    nonisolated let presenter: any StationPresentable
    private weak var router: (any StationRouting)?

    init(presenter: any StationPresentable) { self.presenter = presenter }

    func wire(router: any StationRouting) { self.router = router }

    func didTapPlatform() async { await router?.routeToPlatform() }
}

extension StationInteractor: PlatformListener {
    func platformDidWhistle() async {
        await presenter.call("The train to Napkinville is late.")
    }
}

protocol PlatformListener: AnyObject, Sendable {
    func platformDidWhistle() async
}

final actor PlatformInteractor: Interactable, PlatformPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    private weak var listener: (any PlatformListener)?

    init(listener: any PlatformListener) { self.listener = listener }

    func didTapWhistle() async { await listener?.platformDidWhistle() }
}
