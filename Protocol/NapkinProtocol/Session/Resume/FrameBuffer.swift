// FrameBuffer: frames that are kept, one after another.
//
// Layer      sans-I/O core. No sockets, clocks, locks, tasks or logging here.
// Isolation  value; part of AnswerLog and of UnansweredEvents.
// Invariant  the first `count` bytes of `room` are in use; what follows means nothing.

/// Bytes that are added at the end and forgotten all at once, or up to a place. Adding copies and
/// does nothing else while there is room.
@usableFromInline
struct FrameBuffer: Sendable {
    @usableFromInline var room: [UInt8] = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ frame: UnsafeRawBufferPointer) {
        let start = count
        let end = start + frame.count
        if end > room.count { makeRoom(end) }
        room.withUnsafeMutableBytes { room in
            UnsafeMutableRawBufferPointer(rebasing: room[start..<end]).copyMemory(from: frame)
        }
        count = end
    }

    @usableFromInline @inline(never)
    mutating func makeRoom(_ end: Int) {
        let more = max(end, 2 * room.count, 256) - room.count
        room.append(contentsOf: repeatElement(0, count: more))
    }

    /// Forgets everything, and gives back more room than `keeping`.
    @inlinable
    mutating func removeAll(keeping byteCount: Int) {
        count = 0
        if room.count > byteCount { room = [] }
    }

    mutating func removeFirst(_ byteCount: Int) {
        room = Array(room[byteCount..<count])
        count -= byteCount
    }

    @inlinable subscript(_ range: Range<Int>) -> ArraySlice<UInt8> { room[range] }
}
