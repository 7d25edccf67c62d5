// LoopCounters: how jobs reached the loop, for tests and benchmarks.
//
// Layer      transport, loop.
// Isolation  value.

/// How jobs of the Swift runtime reached the loop since the process started. All zero when the
/// loop is embedded, where jobs come through the host's main queue.
public struct LoopCounters: Sendable, Equatable {
    /// Jobs enqueued on the loop thread: a queue without a lock.
    public let enqueuedOnLoop: UInt64
    /// Jobs enqueued by other threads: a lock each.
    public let enqueuedByOthers: UInt64
    /// Times another thread had to wake the loop: an eventfd write each.
    public let wakeUps: UInt64
}
