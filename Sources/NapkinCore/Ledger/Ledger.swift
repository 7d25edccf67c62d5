// Ledger: what one tree of features has made, and what of it is left where its owner is gone.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Ownership  a root's router owns its tree's; whoever wants a report after that keeps it, too.

import Synchronization

/// The books of one tree: nodes, routers, scopes, bound tasks, senders, streams and slots.
///
/// Each is entered when it is made and struck out when it is released. Features are attached to the
/// ledger of the parent that they are attached to. What is still there while its feature is
/// attached is *in use*; what is there when it has been detached, and everything is quiet, is
/// *left*: somebody keeps it, and `LedgerReport.remnants` says whose it was.
///
/// Nothing here is on the path of an event: what is counted lives as long as a feature does.
public final class Ledger: Sendable {
    /// What is counted.
    public enum Kind: String, CaseIterable, Sendable, Codable {
        /// A view's half of a feature in the worker.
        case node
        case router
        /// An interactor's lifecycle.
        case scope
        /// A bound task that has not finished.
        case task
        /// What a feature presents through, or a front's view sends its events through.
        case sender
        /// A stream that can still be read.
        case stream
        /// A child's position while it is taken.
        case slot
    }

    /// Everything of this process, also what was made before it was attached to a tree.
    public static let process = Ledger(id: LedgerBooks.process)

    let id: UInt64

    public convenience init() {
        self.init(id: LedgerBooks.all.withLock { $0.openLedger() })
    }

    private init(id: UInt64) { self.id = id }

    deinit { LedgerBooks.all.withLock { $0.closeLedger(id) } }

    /// What there is now. Ask when everything is quiet: what is on its way out counts as left.
    public func report() -> LedgerReport {
        LedgerBooks.all.withLock { $0.report(on: id) }
    }
}
