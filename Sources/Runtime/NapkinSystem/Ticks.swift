// Ticks: a periodic time, by a clock that a test may move.

public import NapkinCore

extension AnyClock {
    /// Returns a sequence that waits for times one period apart.
    ///
    /// ```swift
    /// for await _ in clock.every(.seconds(60)) { await refresh() }
    /// ```
    ///
    /// The times are fixed: a slow body does not shift them. Times that it missed count as one
    /// tick. The sequence ends when the task is cancelled. For a single time, use
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

/// The sequence that `AnyClock.every(_:from:)` returns.
public struct Ticks: AsyncSequence, Sendable {
    let clock: AnyClock
    let period: Duration
    let first: AnyClock.Instant

    /// Waits for one tick after another.
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
            // Computed, not counted: a machine may have slept for a week.
            let missed = Swift.min(((clock.now - due) / period).rounded(.down), 1e15)
            due = due + period * Swift.max(1, Int(missed) + 1)
            return tick
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(clock: clock, period: period, due: first)
    }
}
