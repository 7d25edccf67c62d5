// EagerFronts: reports fronts that send more events than their app allows.
//
// Invariant  at most one report a second.

import NapkinCore

/// Fronts with refused events because they sent too many.
@MainActor
final class EagerFronts {
    static let shared = EagerFronts()
    /// The time between two reports, in milliseconds. Chosen.
    private static let interval: UInt64 = 1000

    private var next: UInt64 = 0
    private var others = 0

    /// Notes a refused event of a front that had sent too many in a second.
    func note(_ front: FrontSeat, _ most: Int, at now: UInt64) {
        guard now >= next else {
            others += 1
            return
        }
        next = now + Self.interval
        Anomaly.report(
            .eventsRefused(
                session: front.session.name, front: front.id, most: most, others: others))
        others = 0
    }
}
