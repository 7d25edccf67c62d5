// FrameBytes: frames that leave in one write.

import NapkinCoding
import NapkinProtocol

/// Appends frames, and hands them out.
struct FrameBytes: ~Copyable {
    private var writer = CBORWriter(capacity: 4096)

    mutating func append(_ header: FrameHeader, _ payload: [UInt8]) {
        let start = header.begin(in: &writer)
        writer.append(payload)
        FrameHeader.finish(frameAt: start, in: &writer)
    }

    var isEmpty: Bool { writer.count == 0 }

    /// All frames so far; none are left.
    mutating func take() -> [UInt8] {
        let bytes = writer.copyBytes()
        writer.removeAll()
        return bytes
    }
}
