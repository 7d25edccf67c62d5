// OutputHold: limits how much of a connection's buffer may leave, by the groups that are durable.
//
// Invariant  ends and groups ascend; a byte leaves only when every group that existed when it was
//            appended is durable. Provisional frames wait for none: they keep their order among
//            themselves, and overtake no transition, so that the front knows their node.
// Spec       Protocol/SPEC.md, section 9.4 (Durable sessions)

/// Marks in an output buffer, each with the journal group that the bytes before it wait for.
public struct OutputHold: Hashable, Sendable {
    private struct Mark: Hashable {
        /// The number of bytes in the buffer before the mark.
        var end: Int
        var group: UInt64
    }

    /// The bytes to write now.
    public struct Release: Equatable, Sendable {
        /// Provisional frames, before all else.
        public var ahead: [UInt8]
        /// The number of bytes from the beginning of the buffer. The caller removes them.
        public var count: Int
    }

    private var marks: [Mark] = []
    /// Provisional frames that are not in the buffer.
    private var ahead: [UInt8] = []
    /// The end of the buffer's part that no provisional frame overtakes.
    private var bound: Int

    /// - Parameter end: the number of bytes in the buffer; nothing overtakes them.
    public init(after end: Int = 0) { bound = end }

    /// Frames have been appended to the buffer, which now has `end` bytes.
    public mutating func appended(_ frames: [UInt8], upTo end: Int) {
        // The kind comes after the length field.
        let place = FrameHeader.lengthByteCount
        if frames.count > place, frames[place] == FrameKind.transition.rawValue { bound = end }
    }

    /// Accepts a provisional frame. Returns false if the caller must append it to the buffer, which
    /// then has `end` bytes.
    public mutating func overtakes(_ frame: [UInt8], elseUpTo end: Int) -> Bool {
        guard bound == 0 else {
            bound = end
            return false
        }
        ahead += frame
        return true
    }

    /// The turn has ended. The bytes appended during it, up to `end`, wait for the group `needed`,
    /// or for a later one that already holds the buffer.
    public mutating func turnEnded(upTo end: Int, needed: UInt64, durable: UInt64) -> Release {
        if let last = marks.last, last.group >= needed {
            marks[marks.count - 1].end = end
        } else if end > marks.last?.end ?? 0 {
            marks.append(Mark(end: end, group: needed))
        }
        defer { ahead = [] }
        let count = marks.prefix { $0.group <= durable }.count
        guard count > 0 else { return Release(ahead: ahead, count: 0) }
        let bytes = marks[count - 1].end
        marks.removeFirst(count)
        for index in marks.indices { marks[index].end -= bytes }
        bound = max(0, bound - bytes)
        return Release(ahead: ahead, count: bytes)
    }
}
