// Ledger: what one tree of features has created, and what is left of it after its owner is gone.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Ownership  a root's router owns its tree's ledger; a caller that wants a later report keeps it.

import Synchronization

/// The books of one tree: nodes, routers, scopes, bound tasks, senders, streams and slots.
///
/// Each thing is entered when it is created and removed when it is released. A feature that is
/// attached joins its parent's ledger. What still exists while its feature is attached is *in use*.
/// What still exists when its feature has been detached and nothing is under way is *left*:
/// somebody keeps it, and `LedgerReport.remnants` says whose it was.
///
/// The ledger is not on the path of an event: it counts things that live as long as a feature.
public final class Ledger: Sendable {
    /// The kinds of things that are counted.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// The worker's half of a feature's view.
        case node
        case router
        /// An interactor's lifecycle.
        case scope
        /// A bound task that has not finished.
        case task
        /// A sender, through which a feature presents or a front's view sends its events.
        case sender
        /// A stream that can still be read.
        case stream
        /// A child's position, while it is occupied.
        case slot
    }

    /// The ledger of the whole process, including what was created before it was attached to a
    /// tree.
    public static let process = Ledger(id: LedgerBooks.process)

    let id: UInt64

    public convenience init() {
        self.init(id: LedgerBooks.all.withLock { $0.openLedger() })
    }

    private init(id: UInt64) { self.id = id }

    deinit { LedgerBooks.all.withLock { $0.closeLedger(id) } }

    /// Reports what exists now. Ask when nothing is under way: things about to be released count as
    /// left.
    public func report() -> LedgerReport {
        LedgerBooks.all.withLock { $0.report(on: id) }
    }
}
