// LoggedIn: the table of a guest, with the news from the pit over it.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  none of its own; presentables are @MainActor.

public import NapkinCore

/// A navigation stack whose bottom is the guest's table.
public enum LoggedIn: Feature {
    public static let id: FeatureID = "rib-house.logged-in"
    public typealias Presenting = LoggedInPresentableCrossing
    public typealias Listening = LoggedInPresentableListenerCrossing

    /// Who sits here; the same for as long as the feature is attached.
    @Message
    public struct Arguments: Hashable {
        public var user: User

        public init(user: User) {
            self.user = user
        }
    }
}

/// What the table shows.
@Crossing @MainActor
public protocol LoggedInPresentable: Presentable {
    /// `2 SMOKING · 1 RESTING`; the words in front of it are the view's.
    func present(pitSummary: String) async
    /// The menu, in its order.
    func present(foods: [String]) async
    /// `LAST CALL · Brisket`, or `nil` when there is none (any more).
    ///
    /// A state and not an effect: a front that attaches while the banner is up shows it as well.
    func present(banner: String?) async
}

/// What the table's view tells its interactor.
@Crossing
public protocol LoggedInPresentableListener: PresentableListener {
    func didTapLogout() async
    func didTapPitBoard() async
}
