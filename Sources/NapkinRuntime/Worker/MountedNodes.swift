// MountedNodes: the nodes of a session by their numbers.
//
// Layer      runtime.
// Isolation  @MainActor: the loop thread.
// Ownership  owned by the session.

import NapkinCore
import NapkinProtocol

/// A map from numbers to nodes. Binary search in a few entries costs less than hashing.
@MainActor
struct MountedNodes {
    private var entries: [(id: UInt32, node: FeatureNode)] = []

    var count: Int { entries.count }

    /// The nodes, in ascending order of their numbers.
    var nodes: some Sequence<FeatureNode> { entries.lazy.map(\.node) }

    /// The nodes that fronts show, in ascending order of their numbers. Includes nodes whose
    /// removal fronts have not been told of, and omits those that are not shown yet.
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

    /// Removes the nodes that had these numbers, and their descendants; returns the numbers of all
    /// that it removed. Other nodes whose removal is under way stay until it is their turn.
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

extension FeatureNode {
    /// The number of the only front that shows the node under this number; `nil` if all do.
    func audience(of id: UInt32) -> UInt64? {
        if let former = former(id) { former.front } else { front }
    }
}

/// The operations of a batch, of which a front gets those that are for all and those for it alone.
struct AudienceBatch {
    private(set) var operations: [Transition.Operation] = []
    /// The places in `operations` of what is for all, and of what is for one front.
    private var shared: [Int] = []
    private var own: [UInt64: [Int]] = [:]

    var isEmpty: Bool { operations.isEmpty }
    /// Whether the fronts get different operations.
    var isDivided: Bool { !own.isEmpty }

    mutating func append(_ operation: Transition.Operation, for audience: UInt64?) {
        if let audience {
            own[audience, default: []].append(operations.count)
        } else {
            shared.append(operations.count)
        }
        operations.append(operation)
    }

    func hasOperations(for audience: UInt64) -> Bool {
        !shared.isEmpty || own[audience] != nil
    }

    /// What fronts with this audience get, in the order of the batch.
    func operations(for audience: UInt64) -> [Transition.Operation] {
        (shared + own[audience, default: []]).sorted().map { operations[$0] }
    }
}
