// Ledger: what one tree of features has created, and what is left of it after its owner is gone.
//
// Layer      core.
// Isolation  any thread (Mutex); the books' lock is taken before a page's.
// Ownership  a root's router owns its tree's ledger; a caller that wants a later report keeps it.
//            The feature's lifecycle and each entry keep the account: its page closes after the
//            last one.
// Invariant  a page is in the books until its account is released; then its ledger has its counts.

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

/// The open pages, and the sums of the closed ones.
struct LedgerBooks {
    static let all = Mutex(LedgerBooks())

    /// The number of the ledger that has everything.
    static let process: UInt64 = 0

    private var lastID: UInt64 = 0
    /// The open pages by ledger, so that a report on one ledger reads no other ledger's pages.
    private var pages: [UInt64: [ObjectIdentifier: LedgerPage]] = [:]
    /// The sums of the closed pages, by ledger.
    private var closed: [UInt64: LedgerPage.Sums] = [process: LedgerPage.Sums()]

    mutating func openLedger() -> UInt64 {
        lastID += 1
        closed[lastID] = LedgerPage.Sums()
        return lastID
    }

    mutating func closeLedger(_ id: UInt64) {
        closed[id] = nil
    }

    mutating func open(_ page: LedgerPage) {
        pages[Self.process, default: [:]][ObjectIdentifier(page)] = page
    }

    /// Changes where a page belongs; that may be another ledger afterwards.
    mutating func move(_ page: LedgerPage, _ change: () -> Void) {
        let former = page.now.ledger
        change()
        let ledger = page.now.ledger
        guard ledger != former, remove(page, from: former) else { return }
        pages[ledger, default: [:]][ObjectIdentifier(page)] = page
    }

    private mutating func remove(_ page: LedgerPage, from ledger: UInt64) -> Bool {
        let wasThere = pages[ledger]?.removeValue(forKey: ObjectIdentifier(page)) != nil
        if pages[ledger]?.isEmpty == true { pages[ledger] = nil }
        return wasThere
    }

    mutating func close(_ page: LedgerPage) {
        let state = page.now
        _ = remove(page, from: state.ledger)
        closed[Self.process]? += state.sums
        if state.ledger != Self.process { closed[state.ledger]? += state.sums }
    }

    func report(on ledger: UInt64) -> LedgerReport {
        var report = LedgerReport()
        var sums = closed[ledger] ?? LedgerPage.Sums()
        var remnants: [LedgerReport.Remnant: Int] = [:]
        let own = pages[ledger].map { Array($0.values) } ?? []
        let meant = ledger == Self.process ? pages.values.flatMap(\.values) : own
        for page in meant.lazy.map(\.now) {
            sums += page.sums
            guard page.standing == .detached else { continue }
            for kind in Ledger.Kind.allCases {
                report.counts[kind.index].left +=
                    page.sums.created[kind.index] - page.sums.released[kind.index]
            }
            for what in page.descriptions {
                let remnant = LedgerReport.Remnant(owner: page.path, what: what, count: 1)
                remnants[remnant, default: 0] += 1
            }
        }
        for kind in Ledger.Kind.allCases {
            report.counts[kind.index].created = sums.created[kind.index]
            report.counts[kind.index].released = sums.released[kind.index]
        }
        report.remnants = remnants.map { remnant, count in
            LedgerReport.Remnant(owner: remnant.owner, what: remnant.what, count: count)
        }.sorted()
        return report
    }
}
