// ChannelPair: a delegate that can be awaited, and pairs of channels.
//
// Isolation  @MainActor: the main queue, in which the loop is embedded here.

import Foundation
import Testing

@testable import NapkinTransport

/// All tests share the one loop and count its handles: one after another.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TransportTests {}

/// Something that happens once and can be awaited, before or after.
@MainActor
final class Event<Value: Sendable> {
    private var value: Value?
    private var waiting: [CheckedContinuation<Value, Never>] = []

    func happen(_ value: Value) {
        guard self.value == nil else { return }
        self.value = value
        for continuation in waiting { continuation.resume(returning: value) }
        waiting = []
    }

    func wait() async -> Value {
        if let value { return value }
        return await withCheckedContinuation { waiting.append($0) }
    }
}

/// Keeps all that a channel says, and lets tests await it.
@MainActor
final class Recorder: ChannelDelegate {
    private(set) var bytes: [UInt8] = []
    private(set) var calls: [String] = []
    private(set) var closes = 0
    let ended = Event<Void>()
    let drained = Event<Void>()
    let failed = Event<TransportError>()
    let closed = Event<Void>()
    var onRead: (() -> Void)?
    private var wanted: (count: Int, continuation: CheckedContinuation<Void, Never>)?

    init(_ channel: Channel) { channel.delegate = self }

    /// Waits until `count` bytes have come in all.
    func receive(_ count: Int) async -> [UInt8] {
        if bytes.count < count {
            await withCheckedContinuation { wanted = (count, $0) }
        }
        return bytes
    }

    func channel(_ channel: Channel, didRead new: UnsafeRawBufferPointer) {
        bytes.append(contentsOf: new)
        onRead?()
        if let wanted, bytes.count >= wanted.count {
            self.wanted = nil
            wanted.continuation.resume()
        }
    }

    func channelDidReachEnd(_ channel: Channel) {
        calls.append("end")
        ended.happen(())
    }

    func channelDidDrain(_ channel: Channel) {
        calls.append("drain")
        drained.happen(())
    }

    func channel(_ channel: Channel, didFailWith error: TransportError) {
        calls.append("fail")
        failed.happen(error)
    }

    func channelDidClose(_ channel: Channel) {
        calls.append("close")
        closes += 1
        closed.happen(())
    }
}

extension Channel {
    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }
}

/// Two connected channels with their recorders, both reading.
@MainActor
struct Connection {
    let near: Channel, far: Channel
    let nearRecorder: Recorder, farRecorder: Recorder

    init(reading: Bool = true) throws {
        let (near, descriptor) = try Channel.pair()
        self.near = near
        far = try Channel.adopt(descriptor: descriptor)
        nearRecorder = Recorder(near)
        farRecorder = Recorder(far)
        if reading {
            near.startReading()
            far.startReading()
        }
    }

    /// Closes both ends and waits until they are gone.
    func close() async {
        near.close()
        far.close()
        await nearRecorder.closed.wait()
        await farRecorder.closed.wait()
    }
}

/// Suspends until the loop has turned, so that handles closed before are gone after.
@MainActor
func handlesClosed() async {
    let turned = Event<Void>()
    _ = LoopTimer(after: .milliseconds(1)) { turned.happen(()) }
    await turned.wait()
}
