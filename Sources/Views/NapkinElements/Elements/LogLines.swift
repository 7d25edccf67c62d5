// LogLines: the lines of a log as a view keeps them, with its gaps.
//
// Invariant  lines are numbered without holes, including lines that were read later.

public import NapkinCore

/// The lines of a log that a view has: newest last, a line for each gap, earlier ones on request.
///
/// ```swift
/// @Observable
/// final class BuildModel: BuildPresentable, LogFollower {
///     private(set) var lines = LogLines()
///
///     func output(_ line: String) async { lines.append(line) }
///     func skipped(_ gap: LogGap) { lines.skipped(gap) }
///     func beginsAnew(_ log: MethodID) { lines = LogLines() }
/// }
/// ```
///
/// Show them with ``Log/init(_:follows:readEarlier:)``.
public nonisolated struct LogLines: RandomAccessCollection, Sendable {
    private var lines: [String] = []
    /// The most lines that are kept; the oldest are dropped.
    private let most: Int
    /// The items before the first line, which a view's context reads with `items(in:last:)`; `nil`
    /// if there are none, or none that could be read.
    public private(set) var earlier: LogGap?
    /// The number of the first line, which may be less than 0 once earlier lines have been read.
    public private(set) var first = 0

    /// - Parameter most: the most lines to keep.
    public init(keeping most: Int = 50_000) { self.most = Swift.max(1, most) }

    public var startIndex: Int { 0 }
    public var endIndex: Int { lines.count }
    public subscript(position: Int) -> String { lines[position] }

    /// Adds an item that was presented.
    public mutating func append(_ line: String) {
        lines.append(line)
        // By a tenth, so that a line costs the same however many lines are kept.
        guard lines.count > most + most / 10 else { return }
        let dropped = lines.count - most
        lines.removeFirst(dropped)
        first += dropped
        earlier = nil
    }

    /// Notes a gap: before the first line, it can be read; later, it is a line.
    public mutating func skipped(_ gap: LogGap) {
        guard lines.isEmpty else { return append("… \(gap.items.count) lines …") }
        earlier = gap.readable > 0 ? gap : nil
    }

    /// Adds the items that were read from ``earlier``.
    ///
    /// - Parameters:
    ///   - items: the lines, in order.
    ///   - rest: the gap that remains before them.
    public mutating func prepend(_ items: [String], before rest: LogGap?) {
        lines.insert(contentsOf: items, at: 0)
        first -= items.count
        earlier = items.isEmpty || rest?.readable == 0 ? nil : rest
    }
}
