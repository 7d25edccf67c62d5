// RibHouseViews: registers the views of Rib House in a front.
//
// Layer      example, front.
// Isolation  @MainActor.

import NapkinElements
public import NapkinFront
import RibHouseContract

/// The views of Rib House.
public enum RibHouseViews {
    /// Registers a view for each feature that has one.
    public static func register(in registry: ViewRegistry) {
        registry.register(Launch.self) { _ in EmptyView() }
        registry.register(LoggedOut.self) { LoggedOutScreen(listener: $0.listener) }
        registry.register(LoggedIn.self) { context in
            let model = LoggedInModel(listener: context.listener)
            return (model, LoggedInScreen(user: context.arguments.user, model: model))
        }
        registry.register(PitBoard.self) { context in
            let model = PitBoardModel(listener: context.listener)
            return (model, PitBoardScreen(model: model))
        }
    }
}
