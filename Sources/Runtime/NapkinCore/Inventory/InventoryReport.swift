// InventoryReport: an inventory's contents at one moment, and the pages that they come from.
//
// Isolation  any thread (Mutex), a page: an entry takes the page's lock when it is created and
//            released. A report is a value.
// Ownership  a page is kept by its account and, until that is released, by the books.

import Synchronization

/// The counts of each kind, and the owners of the objects that are left.
package struct InventoryReport: Sendable, Equatable {
    /// The counts of one kind.
    package struct Count: Sendable, Equatable {
        package let kind: TreeInventory.Kind
        package internal(set) var created = 0
        package internal(set) var released = 0
        /// Objects that have not been released although their owner has been detached.
        package internal(set) var left = 0

        /// Unreleased objects whose owner is attached, or was never attached.
        package var inUse: Int { created - released - left }
    }

    /// A number of equal objects that are left, and their owner.
    package struct Remnant: Sendable, Hashable, Comparable, CustomStringConvertible {
        /// The path of the owner when it was attached: `launch/loggedIn/pitBoard`.
        package let owner: String
        /// A description: `task "poll" started at App/PitBoardInteractor.swift:34`.
        package let what: String
        package internal(set) var count: Int

        package var description: String {
            count == 1 ? "\(owner): \(what)" : "\(owner): \(what) (\(count) times)"
        }

        package static func < (left: Self, right: Self) -> Bool {
            (left.owner, left.what) < (right.owner, right.what)
        }
    }

    /// One for each kind, in the order of `TreeInventory.Kind`.
    package internal(set) var counts = TreeInventory.Kind.allCases.map { Count(kind: $0) }
    /// The objects that are left, sorted by owner and then by kind.
    package internal(set) var remnants: [Remnant] = []

    /// Whether nothing is left of detached features.
    package var isClean: Bool { remnants.isEmpty }

    package subscript(_ kind: TreeInventory.Kind) -> Count { counts[kind.rawValue] }
}

/// An entry's origin, recorded at creation; it becomes text only when a report asks.
package struct InventoryLabel: Sendable {
    package var name: String?
    package var file: StaticString?
    package var line: UInt = 0

    package init(_ name: String? = nil, file: StaticString? = nil, line: UInt = 0) {
        self.name = name
        self.file = file
        self.line = line
    }

    func text(as kind: TreeInventory.Kind) -> String {
        let place = file.map { "\($0):\(line)" } ?? "an unknown place"
        return switch kind {
        case .node: "the node"
        case .router: "the router"
        case .scope: "the interactor"
        case .sender: name ?? "the sender of its presenter"
        case .task: "task \(name.map { "\"\($0)\" " } ?? "")started at \(place)"
        case .stream: "stream of \(name ?? "a service")" + (file == nil ? "" : " made at \(place)")
        case .slot: "slot \"\(name ?? "")\""
        }
    }
}

/// One feature's counts.
final class InventoryPage: Sendable {
    /// Whether unreleased objects are in use.
    enum Standing {
        /// Created, and not attached to a tree yet.
        case loose
        case attached
        case detached
    }

    /// The count of each kind, by its raw value.
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
        var inventory = InventoryBooks.process
        var path = "not attached"
        var standing = Standing.loose
        var sums = Sums()
        /// The labels of the open entries that have one.
        fileprivate var labels: [UInt64: (kind: TreeInventory.Kind, label: InventoryLabel)] = [:]
        fileprivate var lastEntry: UInt64 = 0
    }

    private let state = Mutex(State())

    var now: State { state.withLock { $0 } }

    // MARK: - Place

    func attach(as name: String, to inventory: UInt64) {
        state.withLock { state in
            state.path = name
            state.inventory = inventory
            state.standing = .attached
        }
    }

    func attach(as name: String, under parent: InventoryPage) {
        let parent = parent.now
        state.withLock { state in
            state.path = parent.standing == .loose ? name : "\(parent.path)/\(name)"
            state.inventory = parent.inventory
            state.standing = parent.standing
        }
    }

    func detach() { state.withLock { if $0.standing == .attached { $0.standing = .detached } } }

    // MARK: - Entries

    /// Enters one object; returns the number of its label, or 0.
    func begin(_ kind: TreeInventory.Kind, _ label: InventoryLabel?) -> UInt64 {
        state.withLock { state in
            state.sums.created[kind.rawValue] += 1
            guard let label else { return 0 }
            state.lastEntry += 1
            state.labels[state.lastEntry] = (kind, label)
            return state.lastEntry
        }
    }

    func end(_ kind: TreeInventory.Kind, _ entry: UInt64) {
        state.withLock { state in
            state.sums.released[kind.rawValue] += 1
            if entry != 0 { state.labels[entry] = nil }
        }
    }
}

extension InventoryPage.State {
    /// One text for each object that has not been released.
    var descriptions: [String] {
        var texts: [String] = []
        var plain = sums.created &- sums.released
        for (kind, label) in labels.values {
            plain[kind.rawValue] -= 1
            texts.append(label.text(as: kind))
        }
        for kind in TreeInventory.Kind.allCases {
            let text = InventoryLabel().text(as: kind)
            texts += Array(repeating: text, count: max(0, plain[kind.rawValue]))
        }
        return texts
    }
}
