// Order: what is to be run, where, when and after what.

public import NapkinCore

/// An order for a run. Times are texts, which the worker reads: `90s`, `10m`, `22:30`.
@Message
public struct Order: Hashable {
    /// For `/bin/sh -c`.
    public var command: String
    public var name: String?
    /// Runs of one queue run one after another, or as many at a time as it is wide.
    public var queue: String?
    /// Runs that are named together.
    public var group: String?
    /// The runs that must succeed first.
    public var after: [Int] = []
    /// The directory in which it runs; `nil` for the worker's.
    public var directory: String?
    /// Whether it has pipes instead of a terminal.
    public var hasPipes: Bool = false
    public var rows: Int = 24
    public var columns: Int = 80
    /// How often it is tried again after a failure, and how long that waits: `10s..5m`.
    public var retries: Int = 0
    public var backoff: String = "1s..5m"
    /// When it starts.
    public var at: String?
    /// How often it starts: each time as a run of its own.
    public var every: String?
    /// What becomes of times that pass while nobody can start it; `nil` for `once`.
    public var missed: Missed?

    /// `web: npm start`
    public var title: String { (name.map { "\($0): " } ?? "") + command }

    @Message
    public enum Missed: String, CaseIterable {
        /// Each is made up for.
        case run
        /// It is left out.
        case skip
        /// One run stands for all.
        case once
    }
}
