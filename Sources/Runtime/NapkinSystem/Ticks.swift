// Ticks: a time that comes again and again, by a clock that a test may move.
//
// Isolation  value; read by one task.

public import NapkinCore

extension AnyClock {
    /// Returns the times that are a period apart, as a sequence that waits for each.
    ///
    /// ```swift
    /// for await _ in clock.every(.seconds(60)) { await refresh() }
    /// ```
    ///
    /// The times are fixed: a body that takes long does not shift them. Those that have passed
    /// meanwhile are one tick. It ends when the task is cancelled. For one time, sleep until it:
    /// `try await clock.sleep(until:)`.
    ///
    /// - Parameters:
    ///   - period: the time from one tick to the next; more than zero.
    ///   - start: the first tick; by default a period from now.
    public func every(_ period: Duration, from start: Instant? = nil) -> Ticks {
        precondition(period > .zero, "ticks need a period of more than zero, not \(period)")
        return Ticks(clock: self, period: period, first: start ?? now + period)
    }
}

/// The times that `AnyClock.every(_:from:)` returns.
public struct Ticks: AsyncSequence, Sendable {
    let clock: AnyClock
    let period: Duration
    let first: AnyClock.Instant

    /// Waits for one time after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let clock: AnyClock
        let period: Duration
        var due: AnyClock.Instant

        /// Waits until the next tick and returns when it was due; `nil` when the task is cancelled.
        public mutating func next() async -> AnyClock.Instant? {
            do {
                try await clock.sleep(until: due)
            } catch {
                return nil
            }
            let tick = due
            // Not one by one: a machine may have slept for a week.
            let missed = Swift.min(((clock.now - due) / period).rounded(.down), 1e15)
            due = due + period * Swift.max(1, Int(missed) + 1)
            return tick
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(clock: clock, period: period, due: first)
    }
}
