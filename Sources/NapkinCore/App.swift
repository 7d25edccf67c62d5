// App: what a worker process hosts.
//
// Layer      core vocabulary: implemented by an app's feature module.
// Isolation  none of its own; roots are made on the main actor.

/// An app: its features, and how a session of it begins.
public protocol App: Sendable {
    /// The name by which fronts ask for it, `rib-house`.
    static var id: String { get }

    /// Every feature that may be mounted; its contract is what fronts are checked against.
    static var features: [any Feature.Type] { get }

    /// The links that `napkin-client open` and other fronts may have opened. None by default.
    static var deepLinks: [DeepLinkRoute] { get }

    /// Builds the root of one session. Called once for each session of a worker.
    @MainActor static func makeRoot(session: String) async -> any LaunchRouting
}

extension App {
    public static var deepLinks: [DeepLinkRoute] { [] }
}
