// ProvisionalOutput: frames of a connection that do not wait for what is to be durable.
//
// Layer      runtime. Pure.
// Isolation  value; owned by one connection.
// Invariant  provisional frames keep their order among themselves, and overtake no transition: the
//            front knows the node that they are about.
// Spec       Protocol/SPEC.md, section 9.4 (Durable sessions)

import NapkinProtocol

struct ProvisionalOutput {
    /// Whole frames, to be written before all that waits.
    private var frames: [UInt8] = []
    /// The end, in the output that waits, of what no provisional frame overtakes.
    private var bound = 0

    var count: Int { frames.count }

    /// Takes a frame that may go at once; returns false if it has to wait with the rest.
    mutating func takes(_ frame: [UInt8]) -> Bool {
        guard bound == 0 else { return false }
        frames += frame
        return true
    }

    /// No provisional frame overtakes what has been appended up to there.
    mutating func bind(to end: Int) { bound = end }

    /// An encoded frame has been appended to the output that waits.
    mutating func appended(_ frame: [UInt8], upTo end: Int) {
        // The kind comes after the length field.
        if frame.count > FrameHeader.lengthByteCount,
            frame[FrameHeader.lengthByteCount] == FrameKind.transition.rawValue
        {
            bound = end
        }
    }

    /// So many bytes of the output that waited are written.
    mutating func released(_ count: Int) { bound = max(0, bound - count) }

    /// Returns the frames to write now.
    mutating func take() -> [UInt8] {
        defer { frames = [] }
        return frames
    }
}
