// Watchdog: ends a proof in which nothing happens any more, and says so.

import Glibc
import NapkinTransport

/// A hang is a violation, too: this one nobody would see.
@MainActor
final class Watchdog {
    /// Seconds without a sign of life. Chosen: longer than any pause that a proof has on purpose.
    static let patience: UInt64 = 30

    private var last = Loop.shared.now
    /// What is said in the end.
    var report: () -> String = { "nothing is known" }
    /// Ends what was started.
    var cleanUp: () -> Void = {}

    init() {
        _ = LoopTimer(after: .seconds(1), repeating: .seconds(1)) { self.look() }
    }

    /// Something has happened.
    func reset() { last = Loop.shared.now }

    private func look() {
        guard Loop.shared.now > last + Self.patience * 1000 else { return }
        print("violation  nothing has happened for \(Self.patience) s: \(report())")
        cleanUp()
        fflush(nil)
        exit(1)
    }
}
