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
    /// How warm the water is.
    func present(degrees: Int) async
    /// It has just boiled.
    @Effect func whistle() async
}

/// What the view tells the interactor: events, each handled exactly once.
@Crossing
public protocol KettlePresentableListener: PresentableListener {
    /// Throws when there is nothing to heat.
    func didTapSwitch() async throws
    /// Pours cold water in, so many cups. Throws when that does not fit.
    func fill(cups: Int) async throws
}
