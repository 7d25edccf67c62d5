// Control: what napkind is asked to do with an app's workers, and what has come of it.
//
// Spec       Protocol/TOOLS.md, section 3 (Apps)

/// What is to happen to an app's workers.
public enum ControlAction: String, Codable, Sendable {
    /// They run and have registered.
    case start
    /// They end, and none starts until `start`.
    case stop
    /// They end, and others start, of the program and the manifest as they are now.
    case restart
    /// As `restart`, if the program has been replaced and the new one comes up.
    case upgrade
}

/// What has come of a `control`.
public struct ControlOutcome: Codable, Equatable, Sendable {
    /// What was done.
    public enum Result: String, Codable, Sendable {
        case done
        /// There was nothing to do.
        case unchanged
        /// Nothing was done: sessions would have ended, and the query did not say `force`.
        case unforced
    }

    public var result: Result
    /// How many sessions have ended, or would have.
    public var sessions: Int
    /// The workers' processes now.
    public var pids: [Int32]

    public init(_ result: Result, sessions: Int = 0, pids: [Int32] = []) {
        (self.result, self.sessions, self.pids) = (result, sessions, pids)
    }
}
