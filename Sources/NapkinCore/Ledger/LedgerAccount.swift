// LedgerAccount: one feature's page in the ledger, and the entries on it.
//
// Layer      core.
// Isolation  any thread (Mutex).
// Ownership  kept by the feature's lifecycle and by each entry: the page closes after the last one.

import Synchronization

/// The page of one feature, which is named when the feature is attached.
package final class LedgerAccount: Sendable {
    /// The feature whose hook or bound task is running: streams that are created then belong to it.
    @TaskLocal package static var current: LedgerAccount?

    /// The account of things that no hook or bound task creates, such as a service's streams.
    static let unowned = LedgerAccount()

    private let page = LedgerPage()

    package init() {
        LedgerBooks.all.withLock { $0.open(page) }
    }

    deinit { LedgerBooks.all.withLock { $0.close(page) } }

    // MARK: - Place

    /// Makes the feature the root of the tree whose ledger this is.
    package func attach(as name: String, to ledger: Ledger) {
        LedgerBooks.all.withLock { books in
            books.move(page) { page.attach(as: name, to: ledger.id) }
        }
    }

    /// Places the feature below `parent`, in the same ledger.
    func attach(as name: String, under parent: LedgerAccount) {
        LedgerBooks.all.withLock { books in
            books.move(page) { page.attach(as: name, under: parent.page) }
        }
    }

    /// The feature has been detached: what is not released soon counts as left.
    package func detach() { page.detach() }

    // MARK: - Entries

    /// Enters one thing, which is removed when the entry is released.
    package func open(_ kind: Ledger.Kind, _ label: LedgerLabel? = nil) -> LedgerEntry {
        LedgerEntry(kind, begin(kind, label), in: self)
    }

    /// Enters one thing; `end` removes it.
    func begin(_ kind: Ledger.Kind, _ label: LedgerLabel? = nil) -> UInt64 {
        page.begin(kind, label)
    }

    func end(_ kind: Ledger.Kind, _ entry: UInt64) { page.end(kind, entry) }
}

/// One thing in the ledger, for as long as this value lives.
package struct LedgerEntry: ~Copyable, Sendable {
    private let account: LedgerAccount
    private let kind: Ledger.Kind
    private let id: UInt64

    fileprivate init(_ kind: Ledger.Kind, _ id: UInt64, in account: LedgerAccount) {
        self.kind = kind
        self.id = id
        self.account = account
    }

    deinit { account.end(kind, id) }
}
