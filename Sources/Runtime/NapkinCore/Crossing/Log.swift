// Log: what a contract says of a log, and what a view learns of items that it was not given.
//
// Isolation  value; a follower is @MainActor.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// What the worker keeps of one log, for fronts that are slow or come later. Older items are
/// forgotten first; the newest is kept whatever its size.
public struct LogLimits: Hashable, Sendable {
    /// The least of either, so that a front that keeps up has been sent what is forgotten.
    public static let least = (items: 128, bytes: 64 * 1024)

    /// Items, at least 128. The default was chosen: some hundred screens of text.
    public let items: Int
    /// Bytes of the encoded items, at least 64 KiB.
    public let bytes: Int

    public init(items: Int = 10_000, bytes: Int = 1024 * 1024) {
        self.items = max(Self.least.items, items)
        self.bytes = max(Self.least.bytes, bytes)
    }

    /// What a front that attaches is given, and keeps for a view that is made again.
    public static let tail = LogLimits(items: Limits.logTailMax, bytes: Limits.logTailBytesMax)
}

/// Items of a log that a view was not given: they were appended before its front attached, or while
/// the front was slow to read.
public struct LogGap: Hashable, Sendable {
    /// The method that is marked `@Append`.
    public let log: MethodID
    /// The numbers of the items. A log's first item has the number 0.
    public let items: Range<UInt64>
    /// The number of the oldest item that the worker kept when it told the front.
    public let oldest: UInt64

    public init(log: MethodID, items: Range<UInt64>, oldest: UInt64) {
        self.log = log
        self.items = items
        self.oldest = oldest
    }

    /// How many of the items the worker still kept: the newest of them.
    public var readable: UInt64 {
        items.upperBound - min(items.upperBound, max(oldest, items.lowerBound))
    }
}

/// A presenter that wants to know which items of its logs it was not given.
///
/// ```swift
/// final class BuildScreen: BuildPresentable, LogFollower {
///     func output(_ line: String) async { lines.append(line) }
///     func skipped(_ gap: LogGap) { lines.append("… \(gap.items.count) lines …") }
/// }
/// ```
@MainActor
public protocol LogFollower: AnyObject {
    /// The next item of `gap.log` that is presented comes after these, which are not.
    func skipped(_ gap: LogGap)
}
