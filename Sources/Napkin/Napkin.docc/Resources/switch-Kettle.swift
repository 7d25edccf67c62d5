// Kettle: what the app's processes say to each other.

public import NapkinCore

/// The root feature.
public enum Kettle: Feature {
    public static let id: FeatureID = "kettle.kettle"
    public typealias Presenting = KettlePresentableCrossing
    public typealias Listening = KettlePresentableListenerCrossing
}

/// What the view shows: states, of which every front has the newest.
@Crossing @MainActor
public protocol KettlePresentable: Presentable {
    /// Whether it is heating.
    func present(isOn: Bool) async
}

/// What the view tells the interactor: events, each handled exactly once.
@Crossing
public protocol KettlePresentableListener: PresentableListener {
    func didTapSwitch() async
}
