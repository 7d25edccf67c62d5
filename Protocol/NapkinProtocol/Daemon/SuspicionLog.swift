// SuspicionLog: which peers that break the rules are worth a line of the log.
//
// Layer      sans-I/O core. Time is a parameter.
// Isolation  value.
// Invariant  remembers at most `processesMax` processes.

/// Lets each process be logged once, and at most `linesMax` in `window`: who floods us with
/// connections, or with processes, does not flood the log.
public struct SuspicionLog: Hashable, Sendable {
    /// Processes that are remembered, the newest. Chosen: a number is rarely given again sooner.
    public static let processesMax = 64
    /// Lines in `window`. Chosen: enough to see who it is.
    public static let linesMax = 10
    public static let window = Duration.seconds(60)

    private var logged: [Int32] = []
    private var lines: [Duration] = []

    public init() {}

    /// Whether the process is logged now; one that the kernel does not tell counts as one process.
    public mutating func admits(_ process: Int32?, at now: Duration) -> Bool {
        let process = process ?? 0
        lines.removeAll { now - $0 > Self.window }
        guard !logged.contains(process), lines.count < Self.linesMax else { return false }
        lines.append(now)
        logged.append(process)
        if logged.count > Self.processesMax { logged.removeFirst() }
        return true
    }
}
