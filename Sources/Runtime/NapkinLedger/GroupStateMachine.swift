// GroupStateMachine: groups records that become durable together, and tells what output waits for.
//
// Invariant  at most one group is being written; groups are written in the order of their numbers,
//            and none is empty.

/// Collects records into groups. While one is written, the next one grows.
package struct GroupStateMachine: Hashable, Sendable {
    /// The action to take at the end of a turn, or when a group has been written.
    package enum Action: Equatable, Sendable {
        case none
        /// Write the records that have been added since the last such action, as this group.
        case write(GroupNumber)
    }

    /// The number of the group that collects records.
    package private(set) var collecting: GroupNumber
    private var hasRecords = false
    package private(set) var isWriting = false
    /// Every group up to this one is durable.
    package private(set) var durable: GroupNumber

    /// Continues after a group that is durable.
    package init(after durable: GroupNumber) {
        self.durable = durable
        collecting = durable + 1
    }

    /// The group that output sent now must wait for: the newest group with records.
    package var needed: GroupNumber { hasRecords ? collecting : collecting - 1 }

    /// A record has been added to the collecting group.
    package mutating func recordAdded() { hasRecords = true }

    package mutating func turnEnded() -> Action {
        guard hasRecords, !isWriting else { return .none }
        hasRecords = false
        isWriting = true
        defer { collecting += 1 }
        return .write(collecting)
    }

    /// The group that was to be written is durable.
    package mutating func written() -> Action {
        precondition(isWriting, "no group is being written")
        isWriting = false
        durable += 1
        return turnEnded()
    }
}
