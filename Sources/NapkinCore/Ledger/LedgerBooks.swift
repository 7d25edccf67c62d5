// LedgerBooks: the pages of all ledgers of the process.
//
// Layer      core.
// Isolation  value, in a Mutex that is taken before a page's.
// Invariant  a page is here until its account is released; then its ledger has its counts.

import Synchronization

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
