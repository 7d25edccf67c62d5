// LoggedIn: a guest's table, with the news from the pit above it.

public import NapkinCore

/// A navigation stack whose bottom is the guest's table.
public enum LoggedIn: Feature {
    public static let id: FeatureID = "rib-house.logged-in"
    public typealias Presenting = LoggedInPresentableCrossing
    public typealias Listening = LoggedInPresentableListenerCrossing

    /// The guest, who stays the same for as long as the feature is attached.
    @Message
    public struct Arguments: Hashable {
        public var user: User
    }
}

/// What the table shows.
@Crossing @MainActor
public protocol LoggedInPresentable: Presentable {
    /// `2 SMOKING · 1 RESTING`; the view adds the words before it.
    func present(pitSummary: String) async
    /// The menu, in its order.
    func present(foods: [String]) async
    /// `LAST CALL · Brisket`, or `nil` if there is none.
    ///
    /// It is a state and not an effect: a front that attaches while the banner is up also shows it.
    func present(banner: String?) async
}

/// What the table's view tells its interactor.
@Crossing
public protocol LoggedInPresentableListener: PresentableListener {
    func didTapLogout() async
    func didTapPitBoard() async
}
