// TimerImage: decides when a due timer fires, and when it fires next.
//
// Isolation  value. No number of a file can trap here.
// Spec       Protocol/LEDGER.md, Timers and jobs

import NapkinCore

extension TimerImage {
    /// A firing that is later than this was missed. Chosen: far above the restart of a worker.
    package static let latenessMax: Int64 = 10_000

    /// What to do with a timer that is due.
    package struct Firing: Equatable, Sendable {
        /// Whether its handler runs; otherwise the firing was missed and is left out.
        package var runs: Bool
        /// When it fires next; `nil` if it is over.
        package var next: Int64?
    }

    /// Returns what to do now, at or after `due`. Any numbers are possible: they come from a file.
    package func firing(at now: Int64) -> Firing {
        let late = max(0, now.minus(due))
        guard let interval, interval > 0 else {
            return Firing(runs: missed >= 0 || late <= Self.latenessMax, next: nil)
        }
        /// The firings that are due after the first.
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

extension MissedFirings {
    /// As `TimerImage.missed` has it.
    var code: Int32 {
        switch self {
        case .skip: -1
        case .once: 0
        case .each(let max): Int32(clamping: Swift.max(1, max))
        }
    }
}

extension Int64 {
    /// Sums, differences and products that end at the ends of the range.
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
