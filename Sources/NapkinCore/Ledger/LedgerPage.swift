// LedgerPage: what one feature has created and released, and where the feature is.
//
// Layer      core.
// Isolation  any thread (Mutex): an entry takes this page's lock when it is created and released.
// Ownership  kept by its account and, until that is released, by the books.

import Synchronization

/// One feature's counts.
final class LedgerPage: Sendable {
    /// Whether things that have not been released are in use.
    enum Standing {
        /// Created, and not attached to a tree yet.
        case loose
        case attached
        case detached
    }

    /// How many of each kind, by `Ledger.Kind.index`.
    typealias Tally = SIMD8<Int>

    struct Sums {
        var created = Tally()
        var released = Tally()

        static func += (sums: inout Sums, more: Sums) {
            sums.created &+= more.created
            sums.released &+= more.released
        }
    }

    struct State {
        var ledger = LedgerBooks.process
        var path = "not attached"
        var standing = Standing.loose
        var sums = Sums()
        /// The labels of the open entries that have one.
        fileprivate var labels: [UInt64: (kind: Ledger.Kind, label: LedgerLabel)] = [:]
        fileprivate var lastEntry: UInt64 = 0
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }

    // MARK: - Place

    func attach(as name: String, to ledger: UInt64) {
        state.withLock { state in
            state.path = name
            state.ledger = ledger
            state.standing = .attached
        }
    }

    func attach(as name: String, under parent: LedgerPage) {
        let parent = parent.now
        state.withLock { state in
            state.path = parent.standing == .loose ? name : "\(parent.path)/\(name)"
            state.ledger = parent.ledger
            state.standing = parent.standing
        }
    }

    func detach() {
        state.withLock { if $0.standing == .attached { $0.standing = .detached } }
    }

    // MARK: - Entries

    /// Enters one thing; returns the number of its label, or 0.
    func begin(_ kind: Ledger.Kind, _ label: LedgerLabel?) -> UInt64 {
        state.withLock { state in
            state.sums.created[kind.index] += 1
            guard let label else { return 0 }
            state.lastEntry += 1
            state.labels[state.lastEntry] = (kind, label)
            return state.lastEntry
        }
    }

    func end(_ kind: Ledger.Kind, _ entry: UInt64) {
        state.withLock { state in
            state.sums.released[kind.index] += 1
            if entry != 0 { state.labels[entry] = nil }
        }
    }
}

extension LedgerPage.State {
    /// One text for each thing that has not been released.
    var descriptions: [String] {
        var texts: [String] = []
        var plain = sums.created &- sums.released
        for (kind, label) in labels.values {
            plain[kind.index] -= 1
            texts.append(label.text(as: kind))
        }
        for kind in Ledger.Kind.allCases {
            let text = LedgerLabel().text(as: kind)
            texts += Array(repeating: text, count: max(0, plain[kind.index]))
        }
        return texts
    }
}
