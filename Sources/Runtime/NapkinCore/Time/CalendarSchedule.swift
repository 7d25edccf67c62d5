// CalendarSchedule: the times of a repeated event, as a local wall clock shows them.
//
// Isolation  value; pure but for `LocalTime.machine`. No number traps here.

/// A schedule in local time, which does not move when the clocks change.
///
/// ```swift
/// let everyMorning = try CalendarSchedule("weekdays 07:00")
/// ```
///
/// | text | fires |
/// | --- | --- |
/// | `22:30` | each day at that time |
/// | `weekdays 07:00`, `weekends 9:00`, `mon,thu 12:00`, `mon-sat 12:00` | on these days |
/// | `every 15m`, `every 2h` | so often, from midnight on; 1 minute to 24 hours |
///
/// A time that a change of the clocks skips comes later by as much as the clocks are put forward; a
/// time that occurs twice fires the first time.
public struct CalendarSchedule: Hashable, Sendable {
    private enum Rule: Hashable, Sendable {
        /// Minutes after midnight, on the days with these bits; Sunday is bit 0.
        case at(minute: Int64, days: UInt8)
        case every(minutes: Int64)
    }

    /// A text that is no schedule.
    public struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    private static let dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
    private static let weekdays: UInt8 = 0b0111110
    private static let allDays: UInt8 = 0b1111111
    private static let daySeconds: Int64 = 86400
    /// The end of the year 9999, in seconds since 1970.
    private static let timeMax: Int64 = 253_402_300_799

    private let rule: Rule

    /// Reads a schedule. Case does not matter.
    ///
    /// Throws a ``Mistake`` that says what can be written.
    public init(_ text: String) throws(Mistake) {
        guard let rule = Self.rule(text.lowercased()) else {
            throw Mistake(
                description: "'\(text.prefix(100))' is no schedule: write '22:30', "
                    + "'weekdays 07:00', 'mon,thu 12:00' or 'every 15m' (1m to 24h)")
        }
        self.rule = rule
    }

    private static func rule(_ text: String) -> Rule? {
        var words = text.split(separator: " ").map(String.init)
        if words.first == "every", words.count > 1 {
            return minutes(words.dropFirst().joined()).map { .every(minutes: $0) }
        }
        guard (1...2).contains(words.count), let time = words.popLast(), let minute = minute(time)
        else { return nil }
        guard let name = words.first else { return .at(minute: minute, days: allDays) }
        return days(name).map { .at(minute: minute, days: $0) }
    }

    private static func minutes(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), (1...1440).contains(count) else { return nil }
        let minutes: Int64
        switch text.dropFirst(digits.count) {
        case "m", "min", "minutes": minutes = count
        case "h", "hour", "hours": minutes = count * 60
        default: return nil
        }
        return minutes <= 1440 ? minutes : nil
    }

    private static func minute(_ text: String) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...2).contains(parts[0].count), parts[1].count == 2,
            let hour = Int64(parts[0]), let minute = Int64(parts[1]), (0...23).contains(hour),
            (0...59).contains(minute)
        else { return nil }
        return hour * 60 + minute
    }

    private static func days(_ text: String) -> UInt8? {
        switch text {
        case "daily": return allDays
        case "weekdays": return weekdays
        case "weekends": return allDays & ~weekdays
        default: break
        }
        var days: UInt8 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { name in
                dayNames.firstIndex(of: String(name))
            }
            guard (1...2).contains(ends.count), let first = ends[0], let last = ends[ends.count - 1]
            else { return nil }
            for day in 0...(last - first + 7) % 7 { days |= 1 << UInt8((first + day) % 7) }
        }
        return days
    }

    // MARK: - Times

    /// Returns the first time of the schedule after `unixTime`, both in seconds since 1970.
    public func next(after unixTime: Double, in zone: LocalTime = .machine) -> Double {
        let milliseconds = max(0, min(unixTime, Double(Self.timeMax))) * 1000
        return Double(next(afterMilliseconds: Int64(milliseconds), in: zone)) / 1000
    }

    /// The same, in milliseconds.
    package func next(afterMilliseconds time: Int64, in zone: LocalTime = .machine) -> Int64 {
        let now = max(0, min(time / 1000, Self.timeMax))
        let today = (now + zone.offset(now)) / Self.daySeconds
        switch rule {
        case .every(let minutes) where minutes <= 60:
            // All hours count, including one that occurs twice.
            let midnight = zone.instant(of: today * Self.daySeconds)
            let step = minutes * 60
            let next = midnight + (max(0, now - midnight) / step + 1) * step
            return min(next, zone.instant(of: (today + 1) * Self.daySeconds)) * 1000
        case .every(let minutes):
            for minute in stride(from: 0 as Int64, to: 1440, by: Int(minutes)) {
                let next = zone.instant(of: today * Self.daySeconds + minute * 60)
                if next > now { return next * 1000 }
            }
            return zone.instant(of: (today + 1) * Self.daySeconds) * 1000
        case .at(let minute, let days):
            // The clocks may have been put back over midnight.
            for day in (today - 1)...(today + 8) {
                // 1970 began on a Thursday.
                guard days >> UInt8((day + 11) % 7) & 1 == 1 else { continue }
                let next = zone.instant(of: day * Self.daySeconds + minute * 60)
                if next > now { return next * 1000 }
            }
            return (now + 7 * Self.daySeconds) * 1000
        }
    }

    /// The longest and the shortest time between two firings, in milliseconds, leaving aside
    /// changes of the clocks.
    package var gaps: (longest: Int64, shortest: Int64) {
        switch rule {
        case .every(let minutes): (minutes * 60_000, 60_000)
        case .at: (7 * Self.daySeconds * 1000, Self.daySeconds * 1000)
        }
    }
}

extension CalendarSchedule: CustomStringConvertible {
    /// The schedule as text that can be parsed again.
    public var description: String {
        switch rule {
        case .every(let minutes): return "every \(minutes)m"
        case .at(let minute, let days):
            let digits = [minute / 60, minute % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }
            let time = digits.joined(separator: ":")
            switch days {
            case Self.allDays: return time
            case Self.weekdays: return "weekdays \(time)"
            case Self.allDays & ~Self.weekdays: return "weekends \(time)"
            default:
                let names = (0..<7).filter { days >> UInt8($0) & 1 == 1 }
                return names.map { Self.dayNames[$0] }.joined(separator: ",") + " \(time)"
            }
        }
    }
}
