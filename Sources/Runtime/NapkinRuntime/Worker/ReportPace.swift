// ReportPace: limits how often a repeated anomaly is reported.

/// Lets one report pass in each interval, and counts those between.
package struct ReportPace {
    /// For a limit that was reached, in milliseconds. Chosen: a short log.
    package static var ofLimit: ReportPace { ReportPace(interval: 10_000) }

    /// The time between two reports, in the caller's units.
    let interval: UInt64
    private var next: UInt64 = 0
    private var others = 0

    init(interval: UInt64) { self.interval = interval }

    /// Returns how many cases were left out since the last report; `nil` if this one is as well.
    package mutating func report(at now: UInt64) -> Int? {
        guard now >= next else {
            others += 1
            return nil
        }
        next = now + interval
        defer { others = 0 }
        return others
    }
}
