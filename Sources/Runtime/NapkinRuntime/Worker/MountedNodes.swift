// MountedNodes: the nodes of a session by their numbers.
//
// Ownership  owned by the session's stage.

import NapkinCore
import NapkinProtocol

/// A map from numbers to nodes. Binary search in a few entries costs less than hashing.
@MainActor
struct MountedNodes {
    struct Entry {
        let id: UInt32
        let node: FeatureNode
        /// The number of the only front that shows the node under this number; `nil` if all do.
        let front: UInt64?
    }

    private var entries: [Entry] = []
    /// The same, by the front that shows them: one that joins does not pay for others' pages.
    private var shownEntries: [UInt64?: [Entry]] = [:]

    var count: Int { entries.count }

    /// The nodes, in ascending order of their numbers.
    var nodes: some Sequence<FeatureNode> { entries.lazy.map(\.node) }

    /// The number of the tree's first node.
    var firstID: UInt32? { entries.first?.id }

    /// Returns the nodes that fronts with this audience show, in ascending order of their numbers.
    /// Includes nodes whose removal fronts do not know of yet, and omits nodes that are not shown
    /// yet.
    func shown(to audience: UInt64) -> [Entry] {
        let shared = shownEntries[nil] ?? []
        guard let own = shownEntries[audience] else { return shared }
        return (shared + own).sorted { $0.id < $1.id }
    }

    /// The node that had this number when it was mounted; it may have been retired since.
    func node(_ id: UInt32) -> FeatureNode? { entry(id)?.node }

    func has(_ id: UInt32) -> Bool {
        let index = Self.place(of: id, in: entries)
        return index < entries.count && entries[index].id == id
    }

    func entry(_ id: UInt32) -> Entry? {
        let index = Self.place(of: id, in: entries)
        guard index < entries.count, entries[index].id == id else { return nil }
        return entries[index]
    }

    mutating func insert(_ node: FeatureNode) {
        let entry = Entry(id: node.id, node: node, front: node.front)
        entries.insert(entry, at: Self.place(of: entry.id, in: entries))
        var shown = shownEntries[entry.front] ?? []
        shownEntries[entry.front] = nil
        shown.insert(entry, at: Self.place(of: entry.id, in: shown))
        shownEntries[entry.front] = shown
    }

    /// Removes the nodes that had these numbers, and their descendants; returns the numbers of all
    /// that it removed. Other nodes whose removal is under way stay until it is their turn.
    mutating func remove(_ numbers: Set<UInt32>) -> Set<UInt32> {
        var gone = numbers
        // Parents come first.
        for entry in entries {
            let parent = entry.node.former(entry.id)?.parent ?? entry.node.parentID
            if gone.contains(parent) { gone.insert(entry.id) }
        }
        let removed = entries.filter { gone.contains($0.id) }
        entries.removeAll { gone.contains($0.id) }
        for front in Set(removed.map(\.front)) {
            let left = shownEntries[front]?.filter { !gone.contains($0.id) } ?? []
            shownEntries[front] = left.isEmpty ? nil : left
        }
        for entry in removed { entry.node.forgetFormers { $0 == entry.id } }
        return Set(removed.map(\.id))
    }

    private static func place(of id: UInt32, in entries: [Entry]) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low &+ high) / 2
            if entries[middle].id < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}

/// The operations of a batch; a front gets those for all fronts and those for it alone.
struct AudienceBatch {
    private var operations: [Transition.Operation] = []
    /// The indices in `operations` for all fronts, and for each front alone.
    private var shared: [Int] = []
    private var own: [UInt64: [Int]] = [:]

    mutating func append(_ operation: Transition.Operation, for audience: UInt64?) {
        if let audience {
            own[audience, default: []].append(operations.count)
        } else {
            shared.append(operations.count)
        }
        operations.append(operation)
    }

    /// Returns the operations for each audience that gets any, in the order of the batch; one entry
    /// for all fronts together (`nil`) if they get the same.
    func parts(
        for audiences: some Sequence<UInt64>
    ) -> [(audience: UInt64?, operations: [Transition.Operation])] {
        guard !own.isEmpty else { return shared.isEmpty ? [] : [(nil, operations)] }
        return audiences.filter { !shared.isEmpty || own[$0] != nil }.map { audience in
            let indices = (shared + own[audience, default: []]).sorted()
            return (audience, indices.map { operations[$0] })
        }
    }
}
