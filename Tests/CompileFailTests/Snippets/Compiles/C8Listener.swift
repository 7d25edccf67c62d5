// C8Listener: the same with an interactor that conforms to the listener.

public import NapkinCore

public enum Bell: Feature {
    public static let id: FeatureID = "hotel.bell"
    public typealias Listening = BellPresentableListenerCrossing
}

@Crossing
public protocol BellPresentableListener: PresentableListener {
    func didRing() async
}

final actor BellInteractor: Interactable, BellPresentableListener {
    nonisolated let lifecycle = InteractorLifecycle()
    func didRing() async {}
}

final class DeskRouter: Router<BellInteractor> {
    private let bell = ChildSlot<Bell>("bell")

    func routeToBell() async {
        await attach(bell) { _ in BellInteractor() }
    }
}
