// FrameTests: framing beyond the vectors: in single bytes, in random ones, and under another limit.

import NapkinCoding
import NapkinProtocol
import TestSupport
import Testing

struct FrameTests {
    struct Decoded: Equatable {
        var header: FrameHeader
        var payload: [UInt8]
    }

    static let conversation: [Decoded] = [
        Decoded(header: FrameHeader(.ping, sequence: 1), payload: []),
        Decoded(
            header: FrameHeader(
                .event, flags: 3, node: 7, epoch: .max, sequence: .max, method: 0xDEAD_BEEF),
            payload: [1, 2, 3]),
        Decoded(
            header: FrameHeader(.state, node: 1), payload: [UInt8](repeating: 9, count: 300)),
        Decoded(header: FrameHeader(.detach), payload: [0xF5]),
    ]

    static var bytes: [UInt8] {
        var writer = CBORWriter()
        for frame in conversation {
            let start = frame.header.begin(in: &writer)
            writer.append(frame.payload)
            FrameHeader.finish(frameAt: start, in: &writer)
        }
        return writer.copyBytes()
    }

    private func decode(
        _ chunks: [ArraySlice<UInt8>], limit: Int = Limits.frameBytesMax
    ) throws -> [Decoded] {
        var decoder = FrameDecoder(limit: limit)
        var frames: [Decoded] = []
        for chunk in chunks {
            try Array(chunk).withUnsafeBytes { buffer in
                var rest = buffer
                while let frame = try decoder.next(&rest) {
                    frames.append(Decoded(header: frame.header, payload: Array(frame.payload)))
                }
                #expect(rest.isEmpty)
            }
        }
        return frames
    }

    @Test func `a conversation byte by byte comes out the same`() throws {
        let bytes = Self.bytes
        #expect(try decode(bytes.indices.map { bytes[$0...$0] }) == Self.conversation)
    }

    @Test func `the limit may change from frame to frame`() throws {
        var decoder = FrameDecoder(limit: FrameHeader.byteCount - FrameHeader.lengthByteCount)
        try Self.bytes.withUnsafeBytes { buffer in
            var rest = buffer
            let first = try decoder.next(&rest)
            #expect(first?.header.kind == .ping)
            decoder.limit = Limits.frameBytesMax
            let second = try decoder.next(&rest)
            #expect(second?.header.kind == .event)
        }
    }

    @Test func `a frame that came in pieces is whole until the next one is asked for`() throws {
        var decoder = FrameDecoder(limit: Limits.frameBytesMax)
        try Self.bytes.withUnsafeBytes { buffer in
            var piece = UnsafeRawBufferPointer(rebasing: buffer[..<40])
            let first = try decoder.next(&piece)
            #expect(first?.payload.count == 0)
            #expect(try decoder.next(&piece) == nil)
            var rest = UnsafeRawBufferPointer(rebasing: buffer[40...])
            let second = try decoder.next(&rest)
            #expect(second.map { Array($0.payload) } == Self.conversation[1].payload)
            #expect(decoder.bufferedBytes == 0)
        }
    }

    @Test func `random bytes end in frames or in an error, never in a trap`() {
        var random = Randomness(seed: 42)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...80, using: &random)).map { _ in
                UInt8.random(in: 0...(Bool.random(using: &random) ? 3 : 255), using: &random)
            }
            let cut = Int.random(in: 0...bytes.count, using: &random)
            do {
                _ = try decode([bytes[..<cut], bytes[cut...]], limit: 64)
            } catch {
                #expect(error is FrameError)
            }
        }
    }

    @Test func `a frame that cannot be encoded leaves nothing behind`() throws {
        var writer = CBORWriter()
        writer.append(try FrameHeader(.ping).encoded(payload: [1]))
        let before = writer.copyBytes()
        #expect(throws: CBORError.self) {
            try FrameHeader(.state).write(into: &writer) { (writer) throws(CBORError) in
                writer.append([1, 2, 3])
                throw CBORError(.custom, "no")
            }
        }
        #expect(writer.copyBytes() == before)
    }
}
