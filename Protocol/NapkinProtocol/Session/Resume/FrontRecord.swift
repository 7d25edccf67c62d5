// FrontRecord: what a worker must not forget of a front, so that none of its events runs twice.
//
// Layer      sans-I/O core.
// Isolation  value; committed in one transaction with the session's state.
// Spec       Protocol/SPEC.md, section 9 (Resume)

/// A front's events as of one commit.
public struct FrontRecord: Hashable, Sendable, Codable {
    public var front: UInt64
    /// The number of the newest event that had started.
    public var started: UInt64
    /// Those of them that had not finished, ascending: what they did is not in the commit.
    public var unfinished: [UInt64]
    /// Answers that the front may not have, ascending.
    public var answers: [KeptAnswer]

    public init(
        front: UInt64, started: UInt64 = 0, unfinished: [UInt64] = [], answers: [KeptAnswer] = []
    ) {
        self.front = front
        self.started = started
        self.unfinished = unfinished
        self.answers = answers
    }
}
