// LoggedOutBuilder: builds the door.
//
// Layer      feature.
// Isolation  Sendable; frozen after construction.

import NapkinCore
import RibHouseContract

/// What the door needs: nothing.
protocol LoggedOutDependency: Dependency {}

/// Builds doors.
protocol LoggedOutBuildable: Buildable {
    @MainActor func build(listener: any LoggedOutListener) async -> any LoggedOutRouting
}

// SAFETY: no stored property; see `Builder`.
final class LoggedOutBuilder: Builder<any LoggedOutDependency>, LoggedOutBuildable,
    @unchecked Sendable
{
    @MainActor
    func build(listener: any LoggedOutListener) async -> any LoggedOutRouting {
        let interactor = LoggedOutInteractor(listener: listener)
        return LoggedOutRouter(interactor: interactor, view: RemoteView())
    }
}
