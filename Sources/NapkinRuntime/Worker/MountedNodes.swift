// MountedNodes: the nodes that a session shows, by number.
//
// Layer      runtime.
// Isolation  none of its own; a part of one SessionHost (loop thread).
// Invariant  ascending numbers, so that parents come before their children: a child is numbered
//            after its parent.

import NapkinCore

/// A map from numbers to nodes. A binary search in a few entries costs less than a hash.
@MainActor
struct MountedNodes {
    private var entries: [(id: UInt32, node: FeatureNode)] = []

    var count: Int { entries.count }

    /// In ascending order of their numbers.
    var nodes: some Sequence<FeatureNode> { entries.lazy.map(\.node) }

    /// Those of them that still have their number: the others are on their way out, and a node
    /// that is mounted again on its way in.
    var shown: some Sequence<FeatureNode> {
        entries.lazy.filter { $0.node.id == $0.id }.map(\.node)
    }

    /// The node that had this number when it was mounted; it may have been retired since.
    func node(_ id: UInt32) -> FeatureNode? {
        let index = firstIndex(from: id)
        guard index < entries.count, entries[index].id == id else { return nil }
        return entries[index].node
    }

    mutating func insert(_ node: FeatureNode) {
        entries.insert((node.id, node), at: firstIndex(from: node.id))
    }

    /// Forgets the nodes that have lost their number; returns the numbers.
    mutating func removeRetired() -> Set<UInt32> {
        let retired = Set(entries.filter { $0.node.id != $0.id }.map(\.id))
        entries.removeAll { retired.contains($0.id) }
        return retired
    }

    private func firstIndex(from id: UInt32) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low &+ high) / 2
            if entries[middle].id < id { low = middle &+ 1 } else { high = middle }
        }
        return low
    }
}
