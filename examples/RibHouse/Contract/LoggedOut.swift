// LoggedOut: the door of the smokehouse.

public import NapkinCore

/// A title, a lede and one button. There is nothing to present: the view knows its own words.
public enum LoggedOut: Feature {
    public static let id: FeatureID = "rib-house.logged-out"
    public typealias Listening = LoggedOutPresentableListenerCrossing
}

/// What the door's view tells its interactor.
@Crossing
public protocol LoggedOutPresentableListener: PresentableListener {
    func didTapLogin() async
}
