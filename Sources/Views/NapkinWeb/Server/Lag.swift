// Lag: a slow network between a tab and its page, for those who want to see what it does.
//
// Invariant  messages arrive in their order, as on a real connection: one that is lost is sent
//            again, and those behind it wait.

import NapkinTransport

/// How slow a tab's connection is to seem.
package struct Lag: Equatable, Sendable {
    /// The longest delay. Chosen: nobody waits longer.
    package static let delayMax = Duration.seconds(10)
    /// How long the sender waits before it sends a lost message again, beside the way there and
    /// back (RFC 6298: at least 200 ms in Linux).
    private static let patience = Duration.milliseconds(200)

    /// The time that a message takes, in each direction.
    package let delay: Duration
    /// The share of messages that are lost at first, 0 to 1.
    package let loss: Double

    /// Without a delay and a loss, it is `nil`.
    package init?(milliseconds: Int, percent: Int) {
        guard milliseconds > 0 || percent > 0 else { return nil }
        delay = min(.milliseconds(max(0, milliseconds)), Self.delayMax)
        loss = Double(min(90, max(0, percent))) / 100
    }

    package var text: String {
        let milliseconds = Int(delay / .milliseconds(1))
        return "simulated: \(milliseconds) ms each way, \(Int((loss * 100).rounded())) % lost"
    }

    /// The time from a message's sending to its arrival.
    func time() -> Duration {
        var time = delay
        while Double.random(in: 0..<1) < loss { time += delay * 2 + Self.patience }
        return time
    }
}

/// One direction of a slow connection.
@MainActor
final class LagWay {
    private let lag: Lag
    private var waiting: [@MainActor () -> Void] = []
    private var newest = ContinuousClock.now

    init(_ lag: Lag) { self.lag = lag }

    /// Calls the closure when the message would have arrived.
    func pass(_ arrive: @escaping @MainActor () -> Void) {
        let now = ContinuousClock.now
        newest = max(newest, now + lag.time())
        waiting.append(arrive)
        _ = LoopTimer(after: now.duration(to: newest)) { self.waiting.removeFirst()() }
    }
}
