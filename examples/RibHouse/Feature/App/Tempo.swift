// Tempo: the intervals of the house, and the clock that they use.

import Glibc
import NapkinCore

/// The intervals of a session. Tests use a clock that they move by hand.
struct Tempo: Sendable {
    /// The time between two ticks of the pit, unless the environment says otherwise.
    static let tickDefault = Duration.seconds(4)
    /// The longest tick. Chosen: a day; more is a mistake in the unit.
    static let tickSecondsMax = 86_400.0
    /// How long a last call is shown.
    static let bannerDuration = Duration.seconds(3)
    /// The variable that holds the tick in seconds, `0.5`.
    static let variable = "NAPKIN_RIBHOUSE_TICK"

    var tick = Self.tickDefault
    var clock = AnyClock.continuous

    var pit: Ticker { Ticker(interval: tick, clock: clock) }
    /// The ticker of the specials, every 6 s by default.
    var specials: Ticker { Ticker(interval: tick * 3 / 2, clock: clock) }

    static var tickFromEnvironment: Duration {
        tick(from: getenv(variable).map { String(cString: $0) })
    }

    /// Returns the tick that `text` requests; the default if it is not a sensible number.
    static func tick(from text: String?) -> Duration {
        guard let text, let seconds = Double(text), seconds > 0, seconds <= tickSecondsMax
        else { return tickDefault }
        return .seconds(seconds)
    }
}
