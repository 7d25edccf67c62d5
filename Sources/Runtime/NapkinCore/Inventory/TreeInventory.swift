// TreeInventory: counts the objects of one feature tree, and those that outlive their owner.
//
// Isolation  any thread (Mutex); the books' lock is taken before a page's.
// Ownership  a root's router owns its tree's inventory; a caller that wants a report later keeps
//            it. The feature's lifecycle and each entry keep the account: its page closes after the
//            last one.
// Invariant  a page is in the books until its account is released; then the inventory has its
//            counts.

import Synchronization

/// The books of one tree: nodes, routers, scopes, bound tasks, senders, streams and slots.
///
/// Each object is entered when it is created and removed when it is released. An attached feature
/// joins its parent's inventory. An object that exists while its feature is attached is *in use*.
/// One that still exists after its feature was detached, when nothing is under way, is *left*:
/// somebody keeps it, and `InventoryReport.remnants` names the feature it belonged to.
///
/// The inventory is not on the path of an event: it counts objects that live as long as a feature.
package final class TreeInventory: Sendable {
    /// The kinds of things that are counted.
    package enum Kind: Int, CaseIterable, Sendable {
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

    /// The inventory of the whole process, including objects created before they joined a tree.
    package static let process = TreeInventory(id: InventoryBooks.process)

    let id: UInt64

    package convenience init() { self.init(id: InventoryBooks.all.withLock { $0.openInventory() }) }

    private init(id: UInt64) { self.id = id }

    deinit { InventoryBooks.all.withLock { $0.closeInventory(id) } }

    /// Counts the existing objects. Call it when nothing is under way: objects about to be released
    /// count as left.
    package func report() -> InventoryReport { InventoryBooks.all.withLock { $0.report(on: id) } }
}

/// The page of one feature, which is named when the feature is attached.
package final class InventoryAccount: Sendable {
    /// The feature whose hook or bound task is running: streams created now belong to it.
    @TaskLocal package static var current: InventoryAccount?

    /// The account of things that no hook or bound task creates, such as a service's streams.
    static let unowned = InventoryAccount()

    private let page = InventoryPage()

    package init() { InventoryBooks.all.withLock { $0.open(page) } }

    deinit { InventoryBooks.all.withLock { $0.close(page) } }

    // MARK: - Place

    /// Makes the feature the root of the tree whose inventory this is.
    package func attach(as name: String, to inventory: TreeInventory) {
        InventoryBooks.all.withLock { books in
            books.move(page) { page.attach(as: name, to: inventory.id) }
        }
    }

    /// Places the feature below `parent`, in the same inventory.
    func attach(as name: String, under parent: InventoryAccount) {
        InventoryBooks.all.withLock { books in
            books.move(page) { page.attach(as: name, under: parent.page) }
        }
    }

    /// The feature has been detached: objects not released soon count as left.
    package func detach() { page.detach() }

    // MARK: - Entries

    /// Enters one thing, which is removed when the entry is released.
    package func open(_ kind: TreeInventory.Kind, _ label: InventoryLabel? = nil) -> InventoryEntry
    {
        InventoryEntry(kind, begin(kind, label), in: self)
    }

    /// Enters one thing; `end` removes it.
    func begin(_ kind: TreeInventory.Kind, _ label: InventoryLabel? = nil) -> UInt64 {
        page.begin(kind, label)
    }

    func end(_ kind: TreeInventory.Kind, _ entry: UInt64) { page.end(kind, entry) }

    /// Describes a thing of the feature, as a report does.
    func description(of kind: TreeInventory.Kind, _ label: InventoryLabel) -> String {
        "\(page.now.path): \(label.text(as: kind))"
    }
}

/// One thing in the inventory, for as long as this value lives.
package struct InventoryEntry: ~Copyable, Sendable {
    private let account: InventoryAccount
    private let kind: TreeInventory.Kind
    private let id: UInt64

    fileprivate init(_ kind: TreeInventory.Kind, _ id: UInt64, in account: InventoryAccount) {
        self.kind = kind
        self.id = id
        self.account = account
    }

    deinit { account.end(kind, id) }
}

/// The open pages, and the sums of the closed ones.
struct InventoryBooks {
    static let all = Mutex(InventoryBooks())

    /// The number of the inventory that has everything.
    static let process: UInt64 = 0

    private var lastID: UInt64 = 0
    /// The open pages by inventory, so that a report on one inventory reads no other's pages.
    private var pages: [UInt64: [ObjectIdentifier: InventoryPage]] = [:]
    /// The sums of the closed pages, by inventory.
    private var closed: [UInt64: InventoryPage.Sums] = [process: InventoryPage.Sums()]

    mutating func openInventory() -> UInt64 {
        lastID += 1
        closed[lastID] = InventoryPage.Sums()
        return lastID
    }

    mutating func closeInventory(_ id: UInt64) { closed[id] = nil }

    mutating func open(_ page: InventoryPage) {
        pages[Self.process, default: [:]][ObjectIdentifier(page)] = page
    }

    /// Changes a page's place, which may move it to another inventory.
    mutating func move(_ page: InventoryPage, _ change: () -> Void) {
        let former = page.now.inventory
        change()
        let inventory = page.now.inventory
        guard inventory != former, remove(page, from: former) else { return }
        pages[inventory, default: [:]][ObjectIdentifier(page)] = page
    }

    private mutating func remove(_ page: InventoryPage, from inventory: UInt64) -> Bool {
        let wasThere = pages[inventory]?.removeValue(forKey: ObjectIdentifier(page)) != nil
        if pages[inventory]?.isEmpty == true { pages[inventory] = nil }
        return wasThere
    }

    mutating func close(_ page: InventoryPage) {
        let state = page.now
        _ = remove(page, from: state.inventory)
        closed[Self.process]? += state.sums
        if state.inventory != Self.process { closed[state.inventory]? += state.sums }
    }

    func report(on inventory: UInt64) -> InventoryReport {
        var report = InventoryReport()
        var sums = closed[inventory] ?? InventoryPage.Sums()
        var remnants: [InventoryReport.Remnant: Int] = [:]
        let own = pages[inventory].map { Array($0.values) } ?? []
        let meant = inventory == Self.process ? pages.values.flatMap(\.values) : own
        for page in meant.lazy.map(\.now) {
            sums += page.sums
            guard page.standing == .detached else { continue }
            for kind in TreeInventory.Kind.allCases {
                report.counts[kind.rawValue].left +=
                    page.sums.created[kind.rawValue] - page.sums.released[kind.rawValue]
            }
            for what in page.descriptions {
                let remnant = InventoryReport.Remnant(owner: page.path, what: what, count: 1)
                remnants[remnant, default: 0] += 1
            }
        }
        for kind in TreeInventory.Kind.allCases {
            report.counts[kind.rawValue].created = sums.created[kind.rawValue]
            report.counts[kind.rawValue].released = sums.released[kind.rawValue]
        }
        report.remnants = remnants.map { remnant, count in
            InventoryReport.Remnant(owner: remnant.owner, what: remnant.what, count: count)
        }.sorted()
        return report
    }
}

extension RouterCore {
    /// Names this feature in the inventory, and renames the features that are already below it.
    func enterInventory(of parent: RouterCore?) {
        let account = interactable.lifecycle.account
        let name = slot.isEmpty ? feature.lastComponent : slot
        if let parent {
            account.attach(as: name, under: parent.interactable.lifecycle.account)
        } else {
            account.attach(as: name, to: makeInventory())
        }
        for child in children { child.router.core.enterInventory(of: self) }
    }

    /// Declares that nothing of this subtree is in use any longer.
    func leaveInventory() {
        interactable.lifecycle.account.detach()
        for child in children { child.router.core.leaveInventory() }
    }
}
