// Detail: what the feature's view shows, and what it tells.

public import NapkinCore

/// A child of /*@parent@*/.
public enum Detail: Feature {
    public static let id: FeatureID = "sample.detail"
    public typealias Presenting = DetailPresentableCrossing
    public typealias Listening = DetailPresentableListenerCrossing
    //@arguments@
}

/// What the view shows.
@Crossing @MainActor
public protocol DetailPresentable: Presentable {
    //@toggle@
    func present(isOn: Bool) async
    //@end toggle@
}

/// What the view tells the interactor.
@Crossing
public protocol DetailPresentableListener: PresentableListener {
    //@toggle@
    func didTapToggle() async
    //@end toggle@
    //@leaving@
}
