// Lag: simulates a slow network between a tab and its page.
//
// Invariant  messages arrive in order, as on a real connection: a lost message is sent again, and
//            later ones wait behind it.

import NapkinTransport

/// The delay and loss of a tab's simulated connection.
package struct Lag: Equatable, Sendable {
    /// The longest delay. Chosen: nobody would wait longer.
    package static let delayMax = Duration.seconds(10)
    /// How long the sender waits before it resends a lost message, beside the round trip (RFC 6298:
    /// at least 200 ms in Linux).
    private static let patience = Duration.milliseconds(200)

    /// A message's delay, in each direction.
    package let delay: Duration
    /// The share of messages whose first transmission is lost, 0 to 1.
    package let loss: Double

    /// Returns `nil` without a delay and a loss.
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

/// One direction of a simulated slow connection.
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
