// SuspicionLog: decides which misbehaving peers are logged.
//
// Invariant  remembers at most `processesMax` processes.

/// Admits each process to the log once, and at most `linesMax` entries in `window`, so that a flood
/// of connections or processes does not flood the log.
public struct SuspicionLog: Hashable, Sendable {
    /// The number of newest processes remembered. Chosen: a process id is rarely reused sooner.
    public static let processesMax = 64
    /// Log entries in `window`. Chosen: enough to identify the peer.
    public static let linesMax = 10
    public static let window = Duration.seconds(60)

    private var logged: [Int32] = []
    private var lines: [Duration] = []

    public init() {}

    /// Returns whether to log the process now. All processes that the kernel does not identify
    /// count as one.
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
