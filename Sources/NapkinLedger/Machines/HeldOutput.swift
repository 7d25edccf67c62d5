// HeldOutput: how much of a connection's output may leave: the gate.
//
// Isolation  value; owned by one connection.
// Invariant  ends and groups ascend; a byte leaves only when every group that existed when it was
//            appended is durable.

/// Marks in a buffer of output: up to where it depends on which group.
package struct HeldOutput: Hashable, Sendable {
    private struct Mark: Hashable {
        /// How many bytes of the buffer come before the mark.
        var end: Int
        var group: GroupNumber
    }

    private var marks: [Mark] = []

    package init() {}

    /// Everything in the buffer, which has so many bytes, may leave when this group is durable, or
    /// the group that it has been held for already.
    package mutating func appended(upTo end: Int, waitingFor group: GroupNumber) {
        if let last = marks.last, last.group >= group {
            marks[marks.count - 1].end = end
        } else if end > marks.last?.end ?? 0 {
            marks.append(Mark(end: end, group: group))
        }
    }

    /// Returns how many bytes, from the beginning, may leave. The caller removes them.
    package mutating func release(_ durable: GroupNumber) -> Int {
        let count = marks.prefix { $0.group <= durable }.count
        guard count > 0 else { return 0 }
        let bytes = marks[count - 1].end
        marks.removeFirst(count)
        for index in marks.indices { marks[index].end -= bytes }
        return bytes
    }
}
