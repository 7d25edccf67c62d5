// FramePeer: one end of a connection that speaks in frames, and may break every rule.

import Glibc
import NapkinCoding
import NapkinProtocol
import NapkinTransport
import Testing

/// A frame with its payload.
struct RawFrame: Equatable {
    let header: FrameHeader
    let payload: [UInt8]

    func decode<T: Decodable>(_ type: T.Type = T.self) throws -> T {
        try payload.withUnsafeBytes { bytes in
            var reader = CBORReader(bytes)
            return try reader.read(type)
        }
    }

    /// The frame as it was sent.
    var bytes: [UInt8] {
        var writer = CBORWriter()
        let start = header.begin(in: &writer)
        writer.append(payload)
        FrameHeader.finish(frameAt: start, in: &writer)
        return writer.copyBytes()
    }

    /// The code of a fault.
    var fault: String? {
        get throws { header.kind == .fault ? try decode(Fault.self).code : nil }
    }
}

@MainActor
final class FramePeer: ChannelDelegate {
    let channel: Channel
    private var decoder = FrameDecoder(limit: Limits.frameBytesMax)
    private var frames: [RawFrame] = []
    private var hasEnded = false
    private var waiter: CheckedContinuation<RawFrame?, Never>?

    /// Makes a pair of sockets, and gives the other end away.
    ///
    /// - Parameter sendBufferBytes: of the other end; `nil` for the kernel's default.
    init(sendBufferBytes: Int32? = nil, otherEnd: (Channel) throws -> Void) throws {
        let (channel, descriptor) = try Channel.pair()
        if var bytes = sendBufferBytes {
            let size = socklen_t(MemoryLayout<Int32>.size)
            #expect(setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &bytes, size) == 0)
        }
        self.channel = channel
        channel.delegate = self
        channel.startReading()
        try otherEnd(try Channel.adopt(descriptor: descriptor))
    }

    /// The next frame; `nil` when the connection has ended.
    func next() async -> RawFrame? {
        if !frames.isEmpty { return frames.removeFirst() }
        if hasEnded { return nil }
        return await withCheckedContinuation { waiter = $0 }
    }

    func send(_ header: FrameHeader, payload: [UInt8] = []) {
        send(RawFrame(header: header, payload: payload).bytes)
    }

    func send(_ header: FrameHeader, _ value: some Encodable) {
        do {
            var writer = CBORWriter()
            try writer.write(value)
            send(header, payload: writer.copyBytes())
        } catch {
            Issue.record(error)
        }
    }

    /// Shows a tree without nodes.
    func sendSnapshot(epoch: UInt32) {
        let header = FrameHeader(.transition, flags: Transition.snapshotFlag, epoch: epoch)
        send(header, payload: [0x80])
    }

    func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { channel.write($0) } }

    private func took(_ frame: RawFrame?) {
        if frame == nil { hasEnded = true }
        if let waiter = waiter.take() {
            waiter.resume(returning: frame)
        } else if let frame {
            frames.append(frame)
        }
    }

    func channel(_ channel: Channel, didRead bytes: UnsafeRawBufferPointer) {
        var rest = bytes
        do throws(FrameError) {
            while let frame = try decoder.next(&rest) {
                took(RawFrame(header: frame.header, payload: Array(frame.payload)))
            }
        } catch {
            Issue.record(error)
        }
    }

    func channelDidReachEnd(_ channel: Channel) { channel.close() }
    func channelDidDrain(_ channel: Channel) {}
    func channel(_ channel: Channel, didFailWith error: TransportError) {}
    func channelDidClose(_ channel: Channel) { took(nil) }
}
