// FrameFuzz: the frame decoder on any byte stream.
//
// Spec       Protocol/SPEC.md, section 5 (Framing)

import NapkinCoding
import NapkinProtocol

/// A frame that owns its payload.
struct FuzzFrame: Equatable {
    var header: FrameHeader
    var payload: [UInt8]
}

/// What came out of a decoder.
struct FuzzStream: Equatable {
    var frames: [FuzzFrame] = []
    var error: FrameError?
    /// Bytes that wait for the rest of their frame; 0 behind an error.
    var rest = 0

    /// Feeds `pieces` one after another.
    init(_ pieces: [ArraySlice<UInt8>], limit: Int) {
        var decoder = FrameDecoder(limit: limit)
        do throws(FrameError) {
            for piece in pieces {
                try feed(Array(piece), to: &decoder)
                precondition(decoder.bufferedBytes <= limit + 4, "more is kept than one frame")
            }
            rest = decoder.bufferedBytes
        } catch {
            self.error = error
        }
    }

    private mutating func feed(
        _ piece: [UInt8], to decoder: inout FrameDecoder
    ) throws(FrameError) {
        try piece.withUnsafeBufferPointer { (buffer) throws(FrameError) in
            var bytes = UnsafeRawBufferPointer(buffer)
            while let frame = try decoder.next(&bytes) {
                frames.append(FuzzFrame(header: frame.header, payload: Array(frame.payload)))
            }
        }
    }
}

enum FrameFuzz {
    /// The limit is small, so that inputs reach it.
    private static let limit = 512

    /// The first byte says how the rest is cut into pieces; the cuts must not matter.
    static func run(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let stream = bytes.dropFirst()
        let whole = FuzzStream([stream], limit: limit)
        let size = max(Int(first), 1)
        let starts = stride(from: stream.startIndex, to: stream.endIndex, by: size)
        let pieces = starts.map { stream[$0..<min($0 + size, stream.endIndex)] }
        precondition(FuzzStream(pieces, limit: limit) == whole, "the cuts of a stream matter")
        checkEncoding(of: whole, stream)
    }

    /// Writing the frames again gives the bytes that they were read from.
    private static func checkEncoding(of stream: FuzzStream, _ bytes: ArraySlice<UInt8>) {
        var writer = CBORWriter()
        for frame in stream.frames {
            let start = frame.header.begin(in: &writer)
            writer.append(frame.payload)
            FrameHeader.finish(frameAt: start, in: &writer)
        }
        let written = writer.copyBytes()
        precondition(bytes.starts(with: written), "a frame is written otherwise than it was read")
        if stream.error == nil {
            precondition(written.count + stream.rest == bytes.count, "bytes were lost")
        }
    }
}
