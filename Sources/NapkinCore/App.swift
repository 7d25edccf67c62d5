// App: what a worker process hosts.
//
// Layer      core vocabulary: implemented by an app's feature module.
// Isolation  none of its own; roots are created on the main actor.

/// An app: its features, and how its sessions begin.
public protocol App: Sendable {
    /// The name by which fronts ask for it, `rib-house`.
    static var id: String { get }

    /// Every feature that may be mounted. Fronts are checked against their contracts.
    static var features: [any Feature.Type] { get }

    /// The links that fronts may ask to open, as `napkin-client open` does. Empty by default.
    static var deepLinks: [DeepLinkRoute] { get }

    /// Builds the root of one session. Called once for each session of a worker.
    @MainActor static func makeRoot(session: String) async -> any LaunchRouting
}

extension App {
    public static var deepLinks: [DeepLinkRoute] { [] }
}
