// KettleApp: the app as a worker hosts it: its features, and how a session begins.

import KettleContract
public import NapkinCore

/// The app: a kettle for each session.
public enum KettleApp: App {
    public static let id = "kettle"

    /// Every feature that a front may be shown.
    public static let features: [any Feature.Type] = [
        Kettle.self
        // napkin: features
    ]

    /// What sessions keep, for `make schema-check`.
    public static let durableStates: [any DurableState.Type] = [
        KettleInteractor.State.self
        // napkin: durable states
    ]

    /// Each session has its own tree.
    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await makeRoot(clock: .continuous)
    }

    @MainActor
    static func makeRoot(clock: AnyClock) async -> any LaunchRouting {
        await KettleRouter.build(clock: clock)
    }
}
