// Log: a log's limits in a contract, and the gaps that a view learns of.
//
// Isolation  value; a follower is @MainActor.
// Spec       Protocol/SPEC.md, section 7 (Delivery classes)

/// The limits of one log in the worker, for fronts that are slow or attach later. Older items are
/// dropped first; the newest is kept whatever its size.
public struct LogLimits: Hashable, Sendable {
    /// The minimum of both limits: dropped items have been sent to every front that keeps up.
    public static let least = (items: 128, bytes: 64 * 1024)

    /// Items, at least 128. The default was chosen: some hundred screens of text.
    public let items: Int
    /// Bytes of the encoded items, at least 64 KiB.
    public let bytes: Int

    public init(items: Int = 10_000, bytes: Int = 1024 * 1024) {
        self.items = max(Self.least.items, items)
        self.bytes = max(Self.least.bytes, bytes)
    }

    /// The tail that an attaching front gets, and that it keeps for a view that is recreated.
    public static let tail = LogLimits(items: Limits.logTailMax, bytes: Limits.logTailBytesMax)
}

/// Items of a log that a view did not get: they were appended before its front attached, or while
/// the front was slow to read.
public struct LogGap: Hashable, Sendable {
    /// The method that is marked `@Append`.
    public let log: MethodID
    /// The numbers of the items. A log's first item has the number 0.
    public let items: Range<UInt64>
    /// The number of the oldest item that the worker kept when it informed the front.
    public let oldest: UInt64

    public init(log: MethodID, items: Range<UInt64>, oldest: UInt64) {
        self.log = log
        self.items = items
        self.oldest = oldest
    }

    /// The number of items that the worker still kept: the newest of them.
    public var readable: UInt64 {
        items.upperBound - min(items.upperBound, max(oldest, items.lowerBound))
    }
}

/// A presenter that learns which items of its logs it did not get.
///
/// ```swift
/// final class BuildScreen: BuildPresentable, LogFollower {
///     func output(_ line: String) async { lines.append(line) }
///     func skipped(_ gap: LogGap) { lines.append("… \(gap.items.count) lines …") }
/// }
/// ```
@MainActor
public protocol LogFollower: AnyObject {
    /// The items of `gap.log` before the next presented one are skipped.
    func skipped(_ gap: LogGap)
}
