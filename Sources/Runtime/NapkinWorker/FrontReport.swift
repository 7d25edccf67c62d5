// FrontReport: tells napkind how many fronts a worker has, so that it can limit them.
//
// Ownership  owned by the worker's host.
// Invariant  napkind counts what `told` says: it adds one for each front that was admitted.
// Spec       Protocol/SPEC.md, section 6.26 (register)

import NapkinProtocol
import NapkinTransport

/// Reports fronts that have gone, and tickets that nobody has used.
@MainActor
final class FrontReport {
    private let count: () -> Int
    private let tell: () -> Void
    /// What napkind believes.
    private var told = 0
    private var due: LoopTimer?
    /// Fires when the life of a ticket is over.
    private var expiry: LoopTimer?
    /// Whether there are tickets that live longer.
    private var hasNewer = false
    /// How long it may take from a ticket to an attached front.
    private static let life = Duration.seconds(Limits.ticketSeconds + Limits.attachSeconds)

    /// The time between two counts, which take as long as there are sessions. Chosen.
    private static let interval = Duration.milliseconds(10)

    /// - Parameters:
    ///   - count: returns how many fronts are attached or may still attach.
    ///   - tell: tells napkind; calls `number`.
    init(count: @escaping () -> Int, tell: @escaping () -> Void) {
        (self.count, self.tell) = (count, tell)
    }

    isolated deinit {
        expiry?.cancel()
        due?.cancel()
    }

    /// The number to tell napkind now.
    var number: UInt32 {
        told = count()
        return UInt32(clamping: told)
    }

    /// A front was admitted, which napkind counts by itself.
    func admitted() {
        told += 1
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

    /// Something has happened after which there may be fewer: tells napkind soon.
    func changed() {
        guard due == nil else { return }
        due = LoopTimer(after: Self.interval) { [weak self] in
            guard let self else { return }
            due = nil
            if count() != told { tell() }
        }
    }
}
