// TimerImage: decides when a due timer fires, and when it fires next.
//
// Isolation  value. No number from a file can trap here.
// Spec       Protocol/LEDGER.md, Timers and jobs

package import NapkinCore

extension TimerImage {
    /// A firing that is later than this was missed. Chosen: far above the restart of a worker.
    package static let latenessMax: Int64 = 10_000

    /// The action for a timer that is due.
    package struct Firing: Equatable, Sendable {
        /// Whether its handler runs; otherwise the firing was missed and is skipped.
        package var runs: Bool
        /// When it fires next; `nil` if it is over.
        package var next: Int64?
    }

    /// The most firings of a calendar that are counted. Chosen: counting takes a millisecond.
    private static let madeUpMax: Int64 = 1000

    /// The schedule by which it repeats; `nil` also for a later version's text.
    package var schedule: CalendarSchedule? { calendar.flatMap { try? CalendarSchedule($0) } }

    /// Returns what to do now, at or after `due`. Any numbers are possible: they come from a file.
    package func firing(at now: Int64, in zone: LocalTime = .machine) -> Firing {
        let late = max(0, now.minus(due))
        if let schedule { return firing(schedule, at: now, late: late, in: zone) }
        guard let interval, interval > 0 else {
            return Firing(runs: missed >= 0 || late <= Self.latenessMax, next: nil)
        }
        /// The number of firings that are due after the first.
        let more = late / interval
        let following = due.plus(interval.times(more)).plus(interval)
        switch missed {
        case ..<0: return Firing(runs: more == 0 && late <= Self.latenessMax, next: following)
        case 0: return Firing(runs: true, next: following)
        default:
            let skipped = max(0, more.plus(1).minus(Int64(missed)))
            return Firing(runs: true, next: due.plus(interval.times(skipped.plus(1))))
        }
    }
}

extension TimerImage {
    private func firing(
        _ schedule: CalendarSchedule, at now: Int64, late: Int64, in zone: LocalTime
    ) -> Firing {
        let following = schedule.next(afterMilliseconds: now, in: zone)
        switch missed {
        case ..<0:
            let isNewest = schedule.next(afterMilliseconds: due, in: zone) > now
            return Firing(runs: isNewest && late <= Self.latenessMax, next: following)
        case 0: return Firing(runs: true, next: following)
        default:
            // The newest firings due by now, at most `most`. Starts early enough to find them all.
            let most = min(Int64(missed), Self.madeUpMax)
            let start = max(due, now.minus(schedule.gaps.longest * (most + 1)))
            var times = start == due ? [due] : []
            var time = schedule.next(afterMilliseconds: start, in: zone)
            while time <= now {
                times.append(time)
                if times.count > most { times.removeFirst() }
                time = schedule.next(afterMilliseconds: time, in: zone)
            }
            // This firing is the oldest of them.
            return Firing(runs: true, next: times.count > 1 ? times[1] : following)
        }
    }
}

extension MissedFirings {
    /// The value of `TimerImage.missed`.
    var code: Int32 {
        switch self {
        case .skip: -1
        case .once: 0
        case .each(let max): Int32(clamping: Swift.max(1, max))
        }
    }
}

extension Int64 {
    /// Sums, differences and products that saturate at the ends of the range.
    func plus(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other < 0 ? .min : .max) : sum
    }

    func minus(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    fileprivate func times(_ other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : product
    }
}
