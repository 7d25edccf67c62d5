// Log: a log's limits in a contract, its items as they cross, and the gaps that a view learns of.
//
// Ownership  items borrow their memory, during the call that passes them. Bytes from a peer can
//            never trap here.
// Spec       Protocol/SPEC.md, sections 6 (Messages) and 7 (Delivery classes)

/// The limits of one log in the worker, for fronts that are slow or attach later. Older items are
/// dropped first; the newest is kept whatever its size.
public struct LogLimits: Hashable, Sendable {
    /// The minimum of both limits: dropped items have been sent to every front that keeps up.
    public static let least = (items: 128, bytes: 64 * 1024)

    /// Items, at least 128. The default was chosen: some hundred screens of text.
    public let items: Int
    /// Bytes of the encoded items, at least 64 KiB.
    public let bytes: Int
    /// Whether its items may be shown before they are durable; see ``Provisional()``.
    public let isProvisional: Bool

    public init(
        items: Int = 10_000, bytes: Int = 1024 * 1024, isProvisional: Bool = false
    ) {
        self.isProvisional = isProvisional
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

    /// The log begins anew with the next presented item: forget the earlier items. Optional; only
    /// some logs do so: see ``Interactable/appendAnew(_:)``.
    func beginsAnew(_ log: MethodID)
}

extension LogFollower {
    public func beginsAnew(_ log: MethodID) {}
}

/// The logs that the running task begins anew, each with its next item.
@MainActor
package final class LogRestart: Sendable {
    @TaskLocal static var current: LogRestart?

    /// Runs `body`; if `isSo`, its first item begins its log anew.
    package static func run(_ isSo: Bool, _ body: () -> Void) {
        $current.withValue(isSo ? LogRestart() : nil) { body() }
    }

    private var begun: Set<LogKey> = []

    private struct LogKey: Hashable {
        let node: ObjectIdentifier
        let method: MethodID
    }

    nonisolated init() {}

    /// Returns whether this item is the log's first.
    func begins(_ method: MethodID, of node: FeatureNode) -> Bool {
        begun.insert(LogKey(node: ObjectIdentifier(node), method: method)).inserted
    }
}

extension Interactable {
    /// Appends items to logs that begin anew with these items: fronts forget a log's earlier items.
    ///
    /// ```swift
    /// await appendAnew { for line in lines { await presenter.output(line) } }
    /// ```
    ///
    /// Call it where a feature shows items that it may have shown before: when another run is
    /// chosen, or in `didBecomeActive()` if the worker may have died. A log to which `items`
    /// appends nothing stays as it is.
    public func appendAnew(_ items: () async -> Void) async {
        await LogRestart.$current.withValue(LogRestart()) { await items() }
    }
}

/// Consecutive items of a log, borrowed for one call.
package struct LogItems {
    /// Whether the log begins anew with them: earlier items are not part of it.
    package var beginsAnew = false
    /// The number of the first item.
    package let first: UInt64
    /// The number of the oldest item that the worker keeps.
    package let oldest: UInt64
    /// The bytes of each item.
    package let encoded: ArraySlice<UnsafeRawBufferPointer>

    /// Reads `[oldest, item, …]`, the payload of a frame whose header has the first item's number.
    ///
    /// Throws `CBORError` if the bytes are something else.
    package init(first: UInt64, payload: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(payload)
        try self.init(first: first, count: try reader.readArrayHeader(), &reader)
    }

    /// Reads `[first, oldest, item, …]`, the answer to `MethodID.readLog`.
    init(answer payload: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(payload)
        let count = try reader.readArrayHeader()
        try self.init(first: try reader.read(UInt64.self), count: count - 1, &reader)
    }

    private init(first: UInt64, count: Int, _ reader: inout CBORReader) throws(CBORError) {
        guard count > 0 else {
            throw CBORError(.typeMismatch, "items without the number of the oldest")
        }
        oldest = try reader.read(UInt64.self)
        let wanted = count - 1
        var items: [UnsafeRawBufferPointer] = []
        items.reserveCapacity(min(wanted, 65_536))
        for _ in 0..<wanted { items.append(try reader.rawItem()) }
        try reader.expectEnd()
        // A range of numbers must also have a count that fits into an Int.
        guard first <= UInt64(Int.max) - UInt64(items.count), oldest <= first else {
            throw CBORError(.outOfRange, "items from \(first) on, the oldest of which is \(oldest)")
        }
        self.first = first
        encoded = items[...]
    }

    init(first: UInt64, oldest: UInt64, _ items: ArraySlice<UnsafeRawBufferPointer>) {
        self.first = first
        self.oldest = oldest
        encoded = items
    }

    package var count: Int { encoded.count }

    /// The items, copied, each as a method's arguments.
    package var payloads: [Payload] { encoded.map { Payload(Array($0)) } }

    package func dropping(below number: UInt64) -> LogItems {
        guard number > first else { return self }
        let gone = min(number - first, UInt64(count))
        var rest = LogItems(first: first + gone, oldest: oldest, encoded.dropFirst(Int(gone)))
        rest.beginsAnew = beginsAnew
        return rest
    }
}
