// VersionTests: fronts and workers of different minor versions, over real sockets.

import Foundation
import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static func minor(_ number: UInt16) -> ProtocolVersion { ProtocolVersion(1, number) }

    /// Five minor versions, each of which speaks those before it, on both sides.
    @Test(arguments: [0, 1, 2, 3, 4] as [UInt16], [0, 1, 2, 3, 4] as [UInt16])
    func `a front and a worker of any two minor versions attach`(front: UInt16, worker: UInt16)
        async throws
    {
        let house = await House()
        let peer = try RawPeer {
            house.admit($0, supported: Self.minor(0)...Self.minor(worker))
        }
        let hello = Hello(
            role: .front, client: "raw", oldest: Self.minor(0), newest: Self.minor(front))
        peer.send(FrameHeader(.hello), hello)
        peer.send(FrameHeader(.attach), Attach())
        let welcome = try #require(await peer.next()).decode(Welcome.self)
        #expect(welcome.version == Self.minor(min(front, worker)))
        for kind in [FrameKind.attached, .transition] {
            #expect(await peer.next()?.header.kind == kind)
        }
        await house.end()
    }

    @Test func `a front that has let go of the worker's version is told so`() async throws {
        let house = await House()
        let peer = try RawPeer { house.admit($0, supported: Self.minor(0)...Self.minor(0)) }
        peer.send(
            FrameHeader(.hello),
            Hello(role: .front, client: "raw 3", oldest: Self.minor(1), newest: Self.minor(3)))
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == .refused)
        let words = "house speaks protocol 1.0 to 1.0, raw 3 speaks 1.1 to 1.3: "
        #expect(
            try frame.decode(Refusal.self)
                == Refusal(.version, words + "update and restart house"))
        #expect(await peer.next() == nil)
        await house.end()
    }

    @Test func `a front of today is shown what a worker of version 1.0 sent`() async throws {
        let recorded = try Self.recorded()
        let attached = try #require(recorded["attached"]?.last)
        let epoch = try attached.decode(Attached.self).epoch
        var visitor: Visitor?
        let worker = try RawPeer {
            visitor = Visitor($0, Attach(wantsSchema: true, exactContracts: ["room": 1]))
        }
        #expect(await worker.next()?.header.kind == .hello)
        let welcome = try #require(recorded["welcome"]?.last)
        worker.send(welcome.header, payload: welcome.payload)
        #expect(await worker.next()?.header.kind == .attach)
        let shown = (recorded["transition"] ?? []) + (recorded["state"] ?? [])
        let schema = try #require(recorded["schema"]?.last)
        for frame in [attached, schema] + shown where [0, epoch].contains(frame.header.epoch) {
            worker.send(frame.header, payload: frame.payload)
        }
        // The last thing that it is told.
        worker.send(FrameHeader(.askEnded, sequence: 77))
        let client = try #require(visitor?.client)
        await visitor?.journal.wait(for: "ask 77 ended")
        #expect(visitor?.lines.contains { $0.hasPrefix("snapshot: mount 1, ") } == false)
        #expect(visitor?.lines.contains { $0.hasPrefix("snapshot: mount 1; mount") } == true)
        #expect(visitor?.lines.contains { $0.hasPrefix("3 state ") } == true)
        #expect(client.attached?.app == "rib-house")
        #expect(
            client.schemas.map(\.feature) == [
                "rib-house.launch", "rib-house.logged-out", "rib-house.logged-in",
                "rib-house.pit-board",
            ])
        #expect(client.schemas.allSatisfy { $0.types == nil && $0.arguments == nil })
        #expect(client.schemas[3].presents.map(\.key).contains("present(sections:)"))
        worker.channel.close()
        await visitor?.waitForEnd()
    }

    /// The frames that version 1.0 wrote, by their kinds.
    private static func recorded() throws -> [String: [RawFrame]] {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../NapkinProtocolTests/Frozen/version-1.0.txt")
        var frames: [String: [RawFrame]] = [:]
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count == 2 else { continue }
            let digits = Array(words[1].utf8)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16)
            }
            var decoder = FrameDecoder(limit: Limits.frameBytesMax)
            try bytes.withUnsafeBytes { buffer in
                var rest = buffer
                let frame = try #require(try decoder.next(&rest))
                frames["\(frame.header.kind)", default: []].append(
                    RawFrame(header: frame.header, payload: Array(frame.payload)))
            }
        }
        return frames
    }
}
