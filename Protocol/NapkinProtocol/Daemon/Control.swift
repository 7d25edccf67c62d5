// Control: the commands to napkind about an app's workers, and their outcomes.
//
// Spec       Protocol/TOOLS.md, section 3 (Apps)

/// A command for an app's workers.
public enum ControlAction: String, Codable, Sendable {
    /// Starts them; done when they run and have registered.
    case start
    /// Ends them; none starts until `start`.
    case stop
    /// Ends them, and starts others from the present program and manifest.
    case restart
    /// Restarts them if the program has been replaced and the new one starts up.
    case upgrade
    /// napkind only: ends the workers with journals in a database, whose sessions continue on other
    /// machines, and accepts no such session until napkind is restarted.
    case drain
}

/// The outcome of a `control`.
public struct ControlOutcome: Codable, Equatable, Sendable {
    /// The result of the command.
    public enum Result: String, Codable, Sendable {
        case done
        /// There was nothing to do.
        case unchanged
        /// Nothing was done: sessions would have ended, and the query did not say `force`.
        case unforced
    }

    public var result: Result
    /// The number of sessions that have ended, or would have.
    public var sessions: Int
    /// The workers' present process ids.
    public var pids: [Int32]

    public init(_ result: Result, sessions: Int = 0, pids: [Int32] = []) {
        (self.result, self.sessions, self.pids) = (result, sessions, pids)
    }
}
