// SessionContext: what an app is told of the session whose root it makes, and which sessions it has
// by itself.

public import Logging

/// The session whose root an app makes: its names, where the app keeps files, what people have
/// configured, and where the app logs.
///
/// All sessions of an app have the same two directories, which exist when ``App/makeRoot(_:)`` is
/// called, belong to the user and have the mode 0700. If one of them cannot be created, or others
/// may change it, the app gets one below napkind's state directory instead, and the log says so.
public struct SessionContext: Sendable {
    /// The name under which the session was opened; people may have renamed it since.
    public let name: String

    /// What tells the session from the others that live in its worker, for as long as it lives.
    ///
    /// A rename does not change it. It is the name under which the session was opened, or that name
    /// with `-2`, `-3` and so on while a renamed session still has that id. It consists of letters,
    /// digits and `-_.+@`, so that `"\(dataDirectory)/\(id).json"` names a file.
    ///
    /// After the worker's death each session is reopened, a renamed one under its new name.
    public let id: String

    /// The absolute path of the directory for data that must not be lost:
    /// `$XDG_DATA_HOME/napkin/APP`, else `~/.local/share/napkin/APP`.
    public let dataDirectory: String

    /// The absolute path of the directory for data that can be made again:
    /// `$XDG_CACHE_HOME/napkin/APP`, else `~/.cache/napkin/APP`.
    public let cacheDirectory: String

    private let presence: StateCell<[AttachedFront]>

    /// The fronts that are connected, in the order in which they came: now, then each time when one
    /// comes or goes; a slow reader sees only the newest. Nobody is there while it is empty.
    ///
    /// A task that reads them continues after the handlers that are about to run: a handler that
    /// has to know them looks at ``attachedFronts``.
    public var fronts: BufferedStream<[AttachedFront]> { presence.values }

    /// The fronts that are connected at this moment.
    public var attachedFronts: [AttachedFront] { presence.value }

    /// The values of ``App/settings``.
    public let configuration: Configuration

    /// Writes where the worker logs, from the level that `napkind --log-level` names; its metadata
    /// has the app's and the session's ids, `app.id` and `session.id`.
    public let logger: Logger

    /// Returns the logger for a feature: its metadata has the feature's id, too, `feature.id`.
    public func logger(for feature: any Feature.Type) -> Logger {
        var logger = logger
        logger[metadataKey: "feature.id"] = "\(feature.id)"
        return logger
    }

    /// The clock by which the app waits and measures: the machine's, or one that a test moves.
    public let clock: AnyClock

    /// Creates a context, for a test that calls ``App/makeRoot(_:)`` itself. Creates no directory.
    ///
    /// - Parameters:
    ///   - name: the session's name.
    ///   - id: what tells it from other sessions of the app.
    ///   - dataDirectory: where the app keeps data, as an absolute path.
    ///   - cacheDirectory: where the app keeps what can be made again, as an absolute path.
    ///   - configuration: the values of the app's settings.
    ///   - logger: where the app logs.
    ///   - clock: the clock by which the app waits.
    ///   - presence: the fronts that are connected.
    public init(
        name: String, id: String, dataDirectory: String, cacheDirectory: String,
        configuration: Configuration = Configuration(), logger: Logger = Logger(label: "app"),
        clock: AnyClock = .continuous,
        presence: StateCell<[AttachedFront]> = StateCell([])
    ) {
        self.presence = presence
        self.name = name
        self.id = id
        self.dataDirectory = dataDirectory
        self.cacheDirectory = cacheDirectory
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
    }
}

/// A session that an app has without a front that asks for it.
public struct SessionStart: Sendable, Hashable {
    /// The session's name.
    package let name: String

    /// A session that is opened whenever the app's worker starts: with the daemon, and after the
    /// worker has died.
    ///
    /// - Parameter name: 1 to 128 bytes of letters, digits and `-_.+@`, and of no other app of the
    ///   daemon; otherwise the daemon does not start, and says so.
    public static func atStart(_ name: String) -> SessionStart { SessionStart(name: name) }
}
