// Wire: a connected Unix socket that blocks, and the frames that come from it.

import NapkinProtocol
import ProofSupport

/// Bytes out, frames in.
final class Wire {
    private let peer: RawPeer
    private var decoder = FrameDecoder(limit: Limits.frameBytesMax)
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65536, alignment: 8)

    init(_ path: String) throws { peer = try RawPeer(path) }

    deinit { buffer.deallocate() }

    /// Closes before what has come has been read.
    func close() { peer.close() }

    func send(_ bytes: [UInt8]) { peer.send(bytes) }

    /// What a read found.
    enum Arrival { case frames, end, nothing }

    /// Waits for bytes and hands over each whole frame; `nothing` when the patience is at its end.
    func read(
        _ take: (FrameHeader, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Arrival {
        guard let count = peer.read(into: buffer) else { return .nothing }
        if count == 0 { return .end }
        var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        while decoder.isHolding || !rest.isEmpty, let frame = try decoder.next(&rest) {
            try take(frame.header, frame.payload)
        }
        return .frames
    }
}
