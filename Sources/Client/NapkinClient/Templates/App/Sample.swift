// Sample: what the app's processes say to each other.

public import NapkinCore

/// The root feature.
public enum Sample: Feature {
    public static let id: FeatureID = "sample.sample"
    public typealias Presenting = SamplePresentableCrossing
    public typealias Listening = SamplePresentableListenerCrossing
}

/// What the view shows: states, of which every front has the newest.
@Crossing @MainActor
public protocol SamplePresentable: Presentable {
    func present(count: Int) async
}

/// What the view tells the interactor: events, each handled exactly once.
@Crossing
public protocol SamplePresentableListener: PresentableListener {
    func didTapAdd() async
}
