// MountedNodes: the nodes that a session shows, by number.
//
// Layer      runtime.
// Isolation  value; part of one SessionHost (loop thread).
// Invariant  ascending numbers, so that parents come before their children: a child is numbered
//            after its parent.

import NapkinCore

/// A map from numbers to nodes. A binary search in a few entries costs less than a hash.
@MainActor
struct MountedNodes {
    private var entries: [(id: UInt32, node: FeatureNode)] = []

    var count: Int { entries.count }

    /// The nodes, in ascending order of their numbers.
    var nodes: some Sequence<FeatureNode> { entries.lazy.map(\.node) }

    /// What fronts show, in ascending order: also what is on its way out, of which they have not
    /// been told, and nothing of what is on its way in.
    var shown: some Sequence<(id: UInt32, node: FeatureNode)> { entries }

    /// The node that had this number when it was mounted; it may have been retired since.
    func node(_ id: UInt32) -> FeatureNode? {
        let index = firstIndex(from: id)
        guard index < entries.count, entries[index].id == id else { return nil }
        return entries[index].node
    }

    mutating func insert(_ node: FeatureNode) {
        entries.insert((node.id, node), at: firstIndex(from: node.id))
    }

    /// Forgets the nodes that had these numbers and what hung under them; returns the numbers of
    /// all that there were. Others that are on their way out stay until it is their turn.
    mutating func remove(_ numbers: Set<UInt32>) -> Set<UInt32> {
        var gone = numbers
        // Parents come first.
        for (id, node) in entries {
            let parent = node.former(id)?.parent ?? node.parentID
            if gone.contains(parent) { gone.insert(id) }
        }
        let removed = entries.filter { gone.contains($0.id) }
        entries.removeAll { gone.contains($0.id) }
        for (id, node) in removed { node.forgetFormers { $0 == id } }
        return Set(removed.map(\.id))
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
