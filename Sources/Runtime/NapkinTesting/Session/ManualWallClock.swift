// ManualWallClock: the time of day of a session under test: a test's clock moves it, and sets it.
//
// Isolation  any thread (Mutex).

import NapkinCore
import Synchronization

/// Begins with the machine's time of day.
final class ManualWallClock: Sendable {
    private let clock: ManualClock
    /// The time of day when the clock began.
    private let start = Mutex(WallClock.machine.unixTime)

    init(_ clock: ManualClock) { self.clock = clock }

    var unixTime: Double { start.withLock { $0 } + clock.now.offset / .seconds(1) }

    func set(_ unixTime: Double) {
        let passed = clock.now.offset / .seconds(1)
        start.withLock { $0 = unixTime - passed }
    }
}
