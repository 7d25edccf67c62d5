// C8Listener: a feature is attached whose interactor does not listen to its view.

public import NapkinCore

public enum Bell: Feature {
    public static let id: FeatureID = "hotel.bell"
    public typealias Listening = BellPresentableListenerCrossing
}

@Crossing
public protocol BellPresentableListener: PresentableListener {
    func didRing() async
}

final actor BellInteractor: Interactable {
    nonisolated let lifecycle = InteractorLifecycle()
    func didRing() async {}
}

final class DeskRouter: Router<BellInteractor> {
    private let bell = ChildSlot<Bell>("bell")

    func routeToBell() async {
        // expected-error@+1: cannot convert value of type 'BellInteractor' to closure result type
        await attach(bell) { _ in BellInteractor() }
    }
}
