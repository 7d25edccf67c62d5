// TraceQueue: the messages that a tracer has yet to fetch, up to a limit.
//
// Isolation  value; owned by one tracer.
// Ownership  at most `Limits.traceMessagesMax` messages and `Limits.traceBytesMax` bytes of values.
// Invariant  `bytes` is the sum of the values' sizes.
// Spec       Protocol/TOOLS.md, section 5 (Observing); Protocol/SPEC.md, section 12 (Limits)

/// Keeps the oldest messages: new ones are dropped and counted when there is no room.
public struct TraceQueue: Equatable, Sendable {
    private var messages: [TracedMessage] = []
    /// The bytes of the messages' values.
    public private(set) var bytes = 0
    /// Messages dropped so far.
    public private(set) var lost: UInt64 = 0
    private var lostUntold: UInt64 = 0

    public init() {}

    public var count: Int { messages.count }
    /// Whether a batch would be empty.
    public var isEmpty: Bool { messages.isEmpty && lostUntold == 0 }

    public mutating func add(_ message: TracedMessage) {
        let size = message.value?.count ?? 0
        guard messages.count < Limits.traceMessagesMax, bytes + size <= Limits.traceBytesMax else {
            lost += 1
            lostUntold += 1
            return
        }
        messages.append(message)
        bytes += size
    }

    /// Returns all waiting messages, and how many have been dropped since the last batch.
    public mutating func take() -> (messages: [TracedMessage], lost: UInt64) {
        defer { (messages, bytes, lostUntold) = ([], 0, 0) }
        return (messages, lostUntold)
    }
}
