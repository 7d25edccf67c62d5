// Tempo: how fast the house lives, and by whose clock.
//
// Layer      feature.
// Isolation  value.

import Glibc
import NapkinCore

/// The intervals of a session. Tests give a clock that they move by hand.
struct Tempo: Sendable {
    /// Between two ticks of the pit, unless the environment says otherwise.
    static let tickDefault = Duration.seconds(4)
    /// Longer ticks are a mistake in the unit. Chosen: a day.
    static let tickSecondsMax = 86_400.0
    /// How long a last call stays up.
    static let bannerDuration = Duration.seconds(3)
    /// The variable that holds the tick in seconds, `0.5`.
    static let variable = "NAPKIN_RIBHOUSE_TICK"

    var tick = Self.tickDefault
    var clock = AnyClock.continuous

    var pit: Ticker { Ticker(interval: tick, clock: clock) }
    /// Every 6 s by default.
    var specials: Ticker { Ticker(interval: tick * 3 / 2, clock: clock) }

    static var fromEnvironment: Tempo {
        Tempo(tick: tick(from: getenv(variable).map { String(cString: $0) }))
    }

    /// The tick that `text` asks for; the default for anything that is no sensible number.
    static func tick(from text: String?) -> Duration {
        guard let text, let seconds = Double(text), seconds > 0, seconds <= tickSecondsMax
        else { return tickDefault }
        return .seconds(seconds)
    }
}
