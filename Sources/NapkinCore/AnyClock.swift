// AnyClock: time without its clock's type: the machine's, or one that a test moves.
//
// Layer      core.
// Isolation  value; any thread may read it and sleep by it.

/// A clock whose type is nobody's business.
///
/// Give a feature or a service one when it waits, or has to know how much time has passed. An app
/// gives `.continuous`; a test gives a clock that it moves by hand, and waits for nothing:
///
/// ```swift
/// AnyClock(ManualClock())
/// ```
///
/// Copies are the same clock. What only sleeps may take an `any Clock<Duration>` as well; this one
/// has instants, too, that can be kept and compared.
public struct AnyClock: Clock {
    /// A point in time of one clock.
    ///
    /// Instants of clocks that were made each by itself have nothing to do with one another, also
    /// where they are made of the same one.
    public struct Instant: InstantProtocol {
        /// The time since the clock was created. Units: the clock's seconds, which pass on a
        /// continuous clock while the machine sleeps.
        public let offset: Duration

        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: offset + duration)
        }

        public func duration(to other: Instant) -> Duration { other.offset - offset }

        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }

        public static func + (instant: Instant, duration: Duration) -> Instant {
            instant.advanced(by: duration)
        }

        /// How much later the left one is.
        public static func - (left: Instant, right: Instant) -> Duration {
            right.duration(to: left)
        }
    }

    /// The machine's, from the moment when it is first looked at; it does not stop while the
    /// machine sleeps.
    public static let continuous = AnyClock(ContinuousClock())

    public let minimumResolution: Duration
    private let read: @Sendable () -> Instant
    private let wait: @Sendable (Instant, Duration?) async throws -> Void

    /// - Parameter clock: is read and slept by; its time at this moment is the offset 0.
    public init<C: Clock>(_ clock: C) where C.Duration == Duration {
        let start = clock.now
        minimumResolution = clock.minimumResolution
        read = { Instant(offset: start.duration(to: clock.now)) }
        wait = { try await clock.sleep(until: start.advanced(by: $0.offset), tolerance: $1) }
    }

    /// The time now. Units: its `offset`, a `Duration` since the clock was made.
    public var now: Instant { read() }

    /// Waits for a moment; at once when that is over. `sleep(for:)` waits from now on.
    ///
    /// - Parameters:
    ///   - deadline: an instant of this clock.
    ///   - tolerance: how much later is soon enough; `nil` leaves it to the clock.
    /// - Throws: what the clock throws: a `CancellationError` when the task is cancelled, before
    ///   the sleep or in it. Nothing of the sleep is left then.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try await wait(deadline, tolerance)
    }
}
