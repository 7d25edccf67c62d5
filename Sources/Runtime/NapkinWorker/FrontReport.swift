// FrontReport: reports a worker's number of fronts to napkind, which limits it.
//
// Ownership  owned by the worker's host.
// Invariant  napkind's count equals `assumed`: it adds one for each admitted front.
// Spec       Protocol/SPEC.md, section 6.26 (register)

import NapkinProtocol
import NapkinTransport

/// Reports departed fronts and expired tickets.
@MainActor
final class FrontReport {
    private unowned let host: WorkerHost
    /// The number that napkind assumes.
    private var assumed = 0
    private var due: LoopTimer?
    /// Fires when a ticket has expired.
    private var expiry: LoopTimer?
    /// Whether there are tickets that expire later.
    private var hasNewer = false
    /// The longest time from a ticket to an attached front.
    private static let life = Duration.seconds(Limits.ticketSeconds + Limits.attachSeconds)

    /// The time between two counts. Chosen: each takes time for every session, and limits on fronts
    /// lag by no more than this.
    private static let interval = Duration.milliseconds(10)

    init(of host: WorkerHost) { self.host = host }

    isolated deinit {
        expiry?.cancel()
        due?.cancel()
    }

    /// The number to tell napkind now.
    var number: UInt32 {
        assumed = host.frontCount
        return UInt32(clamping: assumed)
    }

    /// Counts an admitted front, as napkind does without a report.
    func admitted() {
        assumed += 1
        if expiry == nil { expectExpiry() } else { hasNewer = true }
    }

    private func expectExpiry() {
        hasNewer = false
        expiry = LoopTimer(after: Self.life) { [weak self] in
            guard let self else { return }
            expiry = nil
            changed()
            if hasNewer { expectExpiry() }
        }
    }

    /// Tells napkind soon, because there may be fewer fronts now.
    func changed() {
        guard due == nil else { return }
        due = LoopTimer(after: Self.interval) { [weak self] in
            guard let self else { return }
            due = nil
            if host.frontCount != assumed { host.onChange([]) }
        }
    }
}
