// SampleApp: the app as a worker hosts it: its features, and how a session begins.

public import NapkinCore
import SampleContract

/// The app.
public enum SampleApp: App {
    public static let id = "sample"

    /// Every feature that a front may be shown.
    public static let features: [any Feature.Type] = [
        Sample.self
        // napkin: features
    ]

    /// What sessions keep, for `make schema-check`.
    public static let durableStates: [any DurableState.Type] = [
        SampleInteractor.State.self
        // napkin: durable states
    ]

    /// Each session has its own tree.
    @MainActor
    public static func makeRoot(_ session: SessionContext) async -> any LaunchRouting {
        await SampleRouter.build()
    }
}
