// RibHouseViews: registers the views of Rib House in a front.
//
// Layer      example, front.
// Isolation  @MainActor.

public import NapkinFront
import NapkinTerminal
import RibHouseContract

/// The terminal views of Rib House.
public enum RibHouseViews {
    /// Registers a view for each feature that has one.
    public static func register(in registry: ViewRegistry) {
        registry.register(Launch.self) { _ in ContainerView() }
        registry.register(LoggedOut.self) { LoggedOutView(listener: $0.listener) }
        registry.register(LoggedIn.self) { context in
            LoggedInView(user: context.arguments.user, listener: context.listener)
        }
        registry.register(PitBoard.self) { PitBoardView(listener: $0.listener) }
    }
}
