// AnyClockTests: a clock without its type keeps that clock's time.

import NapkinCore
import Synchronization
import Testing

/// Stands still until it is moved, and notes how it is slept by; a sleep returns at once.
private final class StandingClock: Clock {
    struct Instant: InstantProtocol {
        var seconds: Int

        func advanced(by duration: Duration) -> Instant {
            Instant(seconds: seconds + Int(duration.components.seconds))
        }

        func duration(to other: Instant) -> Duration { .seconds(other.seconds - seconds) }

        static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }
    }

    struct Sleep: Equatable {
        var deadline: Int
        var tolerance: Duration?
    }

    private let time = Mutex(1000)
    private let noted = Mutex<[Sleep]>([])

    var now: Instant { Instant(seconds: time.withLock { $0 }) }
    let minimumResolution = Duration.milliseconds(7)
    var sleeps: [Sleep] { noted.withLock { $0 } }

    func move(by seconds: Int) { time.withLock { $0 += seconds } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        try Task.checkCancellation()
        noted.withLock { $0.append(Sleep(deadline: deadline.seconds, tolerance: tolerance)) }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct AnyClockTests {
    @Test func `instants are as far apart as those of the clock that it is made of`() {
        let standing = StandingClock()
        let clock = AnyClock(standing)
        let start = clock.now
        #expect(start.offset == .zero)
        #expect(clock.now == start)
        standing.move(by: 90)
        #expect(clock.now - start == .seconds(90))
        #expect(start.duration(to: clock.now) == .seconds(90))
        #expect(start < clock.now)
        #expect(start + .seconds(90) == clock.now)
        #expect(clock.minimumResolution == .milliseconds(7))
    }

    @Test func `it sleeps by that clock: for a time, until a moment, with a tolerance`()
        async throws
    {
        let standing = StandingClock()
        let clock = AnyClock(standing)
        standing.move(by: 5)
        try await clock.sleep(for: .seconds(10))
        try await clock.sleep(until: clock.now + .seconds(20), tolerance: .seconds(1))
        #expect(
            standing.sleeps == [
                .init(deadline: 1015, tolerance: nil),
                .init(deadline: 1025, tolerance: .seconds(1)),
            ])
    }

    @Test func `copies are the same clock, also as any clock`() async throws {
        let standing = StandingClock()
        let clock = AnyClock(standing)
        let (copy, existential): (AnyClock, any Clock<Duration>) = (clock, clock)
        standing.move(by: 3)
        #expect(copy.now.offset == .seconds(3))
        try await existential.sleep(for: .seconds(4))
        #expect(standing.sleeps.map(\.deadline) == [1007])
    }

    @Test func `a task that is cancelled does not sleep, nor sleep on`() async {
        let clock = AnyClock.continuous
        for isAsleep in [false, true] {
            let sleeper = Task {
                // Cancelled before it begins, or in it: whichever comes first.
                if !isAsleep { withUnsafeCurrentTask { $0?.cancel() } }
                try await clock.sleep(for: .seconds(3600))
            }
            if isAsleep { sleeper.cancel() }
            await #expect(throws: CancellationError.self) { try await sleeper.value }
        }
    }

    @Test func `the machine's clock goes on, and a moment that is over is not waited for`()
        async throws
    {
        let clock = AnyClock.continuous
        let start = clock.now
        try await clock.sleep(for: .milliseconds(1))
        #expect(clock.now - start >= .milliseconds(1))
        try await clock.sleep(until: start)
    }
}
