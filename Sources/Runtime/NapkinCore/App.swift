// App: the program that a worker process hosts.

/// An app: its features, its settings, and the root of each of its sessions.
public protocol App: Sendable {
    /// The name by which fronts request the app, `rib-house`.
    static var id: String { get }

    /// Every feature that may be mounted. Fronts are checked against their contracts.
    static var features: [any Feature.Type] { get }

    /// The links that fronts may ask to open, as `napkin-client open` does. Empty by default.
    static var deepLinks: [DeepLinkRoute] { get }

    /// The sessions that run even when no front is attached. Empty by default.
    ///
    /// Read when the daemon starts, and again in each new worker: both must get the same sessions.
    /// A daemon that hosts such an app starts the worker at its own start, and the worker opens the
    /// sessions before it admits a front. Equal names are one session. After `napkin-client kill`
    /// such a session is gone until a front opens it or the worker starts again.
    static var sessions: [SessionStart] { get }

    /// The failure that states of `@Durable` interactors survive. A power cut, by default.
    ///
    /// An app without such interactors keeps nothing, and pays nothing.
    static var durability: Durability { get }

    /// The time after which a session of durable interactors leaves the memory when it has no front
    /// and nothing to do; it stays listed, and returns when a front, a timer or a job needs it.
    /// `nil` for never; 10 minutes by default, which is chosen. Sessions at start stay.
    ///
    /// Its volatile values are lost, as when its worker dies.
    static var passivatesAfter: Duration? { get }

    /// The types of the app's durable states, for tools. Empty by default.
    ///
    /// They become part of the output and the checks of `napkin-client schema`: a lock file names
    /// the stored states, so that a type that could not read them is found before it is used.
    static var durableStates: [any DurableState.Type] { get }

    /// The settings that people may change, in a file or by `napkind --set`. Empty by default.
    ///
    /// The file is `$XDG_CONFIG_HOME/napkin/APP.yaml`, else `~/.config/napkin/APP.yaml`.
    static var settings: [any SettingDeclaration] { get }

    /// The builders of children that may run in processes of their own. Empty by default.
    static var isolatedChildren: [any IsolatedBuilder.Type] { get }

    /// Builds the root of one session. Called once for each session of a worker.
    @MainActor static func makeRoot(_ session: SessionContext) async -> any LaunchRouting
}

extension App {
    public static var deepLinks: [DeepLinkRoute] { [] }
    public static var sessions: [SessionStart] { [] }
    public static var durability: Durability { .machine }
    public static var passivatesAfter: Duration? { .seconds(600) }
    public static var durableStates: [any DurableState.Type] { [] }
    public static var settings: [any SettingDeclaration] { [] }
    public static var isolatedChildren: [any IsolatedBuilder.Type] { [] }
}
