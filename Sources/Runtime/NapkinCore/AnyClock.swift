// AnyClock: a clock of any type: the machine's, or one that a test moves.
//
// Isolation  value; any thread may read it and sleep by it.

/// A clock that hides its type.
///
/// Give one to a feature or a service that waits, or that measures how much time has passed. An app
/// passes `.continuous`; a test passes a clock that it moves by hand, and never waits:
///
/// ```swift
/// AnyClock(ManualClock())
/// ```
///
/// Copies are the same clock. Code that only sleeps may take an `any Clock<Duration>` instead; the
/// instants of this clock can also be kept and compared.
public struct AnyClock: Clock {
    /// A point in time of one clock.
    ///
    /// Instants of two clocks that were created separately cannot be compared, even if both clocks
    /// wrap the same one.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created. Units: the clock's seconds, which pass on a
        /// continuous clock while the machine sleeps.
        public let offset: Duration

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }

        public static func + (instant: Instant, duration: Duration) -> Instant {
            instant.advanced(by: duration)
        }

        /// Returns how much later the left instant is.
        public static func - (left: Instant, right: Instant) -> Duration {
            right.duration(to: left)
        }
    }

    /// The machine's clock, from its first use; it continues while the machine sleeps.
    public static let continuous = AnyClock(ContinuousClock())

    public let minimumResolution: Duration
    private let read: @Sendable () -> Instant
    private let wait: @Sendable (Instant, Duration?) async throws -> Void

    /// - Parameter clock: the clock that is read and slept by; its current time is the offset 0.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        minimumResolution = clock.minimumResolution
        read = { Instant(offset: start.duration(to: clock.now)) }
        wait = { try await clock.sleep(until: start.advanced(by: $0.offset), tolerance: $1) }
    }

    /// The time now. Units: its `offset`, a `Duration` since the clock was created.
    public var now: Instant { read() }

    /// Waits until an instant; returns at once if it has passed. `sleep(for:)` waits from now on.
    ///
    /// - Parameters:
    ///   - deadline: an instant of this clock.
    ///   - tolerance: the accepted delay; `nil` leaves it to the clock.
    /// - Throws: the clock's error: a `CancellationError` when the task is cancelled before or
    ///   during the sleep. The sleep has then ended.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await wait(deadline, tolerance)
    }
}
