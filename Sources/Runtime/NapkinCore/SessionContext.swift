// SessionContext: describes a session to its app; SessionStart is one that no front asks for.

public import Logging

/// The session whose root an app creates: its names, directories, settings and logger.
///
/// All sessions of an app have the same two directories, which exist when ``App/makeRoot(_:)`` is
/// called, belong to the user and have the mode 0700. If one of them cannot be created, or others
/// may change it, the app gets one below napkind's state directory instead, and the log says so.
public struct SessionContext: Sendable {
    /// The name under which the session was opened; people may have renamed it since.
    public let name: String

    /// An identifier that is unique among the sessions of its worker while the session lives.
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

    /// The absolute path of the directory for data that the app can recreate:
    /// `$XDG_CACHE_HOME/napkin/APP`, else `~/.cache/napkin/APP`.
    public let cacheDirectory: String

    /// The absolute path of the directory for the session's held programs, which need not exist.
    package var programsDirectory: String

    private let presence: StateCell<[AttachedFront]>

    /// The connected fronts, in order of arrival: the current list, then a new one whenever a front
    /// joins or leaves. A slow reader sees only the newest list, which is empty when nobody is
    /// connected.
    ///
    /// A task that reads this stream resumes after the handlers that are about to run: a handler
    /// that needs the current list reads ``attachedFronts``.
    public var fronts: BufferedStream<[AttachedFront]> { presence.values }

    /// The fronts that are connected at this moment.
    public var attachedFronts: [AttachedFront] { presence.value }

    /// The values of ``App/settings``.
    public let configuration: Configuration

    /// Writes where the worker logs, from the level that `napkind --log-level` names; its metadata
    /// has the app's and the session's ids, `app.id` and `session.id`.
    public let logger: Logger

    /// Returns the logger for a feature: its metadata also has the feature's id, `feature.id`.
    public func logger(for feature: any Feature.Type) -> Logger {
        var logger = logger
        logger[metadataKey: "feature.id"] = "\(feature.id)"
        return logger
    }

    /// The clock with which the app waits and measures: the machine's, or one that a test moves.
    public let clock: AnyClock

    /// The time of day: the machine's, or one that a test moves.
    public let wallClock: WallClock

    /// Creates a context, for a test that calls ``App/makeRoot(_:)`` itself. Creates no directory.
    ///
    /// - Parameters:
    ///   - name: the session's name.
    ///   - id: the session's identifier, unique among the sessions of the app.
    ///   - dataDirectory: where the app keeps data, as an absolute path.
    ///   - cacheDirectory: where the app keeps files that it can recreate, as an absolute path.
    ///   - configuration: the values of the app's settings.
    ///   - logger: where the app logs.
    ///   - clock: the clock with which the app waits.
    ///   - wallClock: the time of day.
    ///   - presence: the connected fronts.
    public init(
        name: String, id: String, dataDirectory: String, cacheDirectory: String,
        configuration: Configuration = Configuration(), logger: Logger = Logger(label: "app"),
        clock: AnyClock = .continuous, wallClock: WallClock = .machine,
        presence: StateCell<[AttachedFront]> = StateCell([])
    ) {
        self.presence = presence
        self.name = name
        self.id = id
        self.dataDirectory = dataDirectory
        self.cacheDirectory = cacheDirectory
        programsDirectory = "\(dataDirectory)/programs/\(id).held"
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.wallClock = wallClock
    }
}

/// A session that an app opens without a request from a front.
public struct SessionStart: Sendable, Hashable {
    /// The session's name.
    package let name: String

    /// Creates a session that opens whenever the app's worker starts: with the daemon, and after
    /// the worker has died.
    ///
    /// - Parameter name: 1 to 128 bytes of letters, digits and `-_.+@`. If another app of the
    ///   daemon has a session of this name, the daemon does not start, and says so.
    public static func atStart(_ name: String) -> SessionStart { SessionStart(name: name) }
}
