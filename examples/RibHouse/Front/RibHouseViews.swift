// RibHouseViews: registers the views of Rib House in a front.

import NapkinElements
public import NapkinFront
import RibHouseContract

/// The views of Rib House.
public enum RibHouseViews {
    /// Registers a view for each feature that has one.
    public static func register(in registry: ViewRegistry) {
        registry.register(Launch.self) { _ in EmptyView() }
        registry.register(LoggedOut.self) { LoggedOutScreen(listener: $0.listener) }
        registry.register(LoggedIn.self, LoggedInModel.init) {
            LoggedInScreen(user: $1.user, model: $0)
        }
        registry.register(PitBoard.self, PitBoardModel.init) { PitBoardScreen(model: $0) }
    }
}
