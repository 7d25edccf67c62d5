// DeltaStateTests: large states go as what has changed.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static let taking = Attach(takesDeltas: true)

    /// A picture of lines, which never repeat.
    private func picture(_ lines: [Int]) -> String {
        lines.map { "line \($0) of the picture, as long as any" }.joined(separator: "\n")
    }

    /// The node's newest encoded value.
    private func newest(_ setup: SessionSetup) throws -> Payload {
        let node = try #require(setup.session.stage.node(1))
        return try #require(node.payload(of: MethodID(key: "show(_:)")))
    }

    @Test func `a large state goes as what has changed since the mount`() async throws {
        let setup = await SessionSetup()
        let presenter = setup.root.interactor.presenter
        await presenter.show(picture(Array(0..<100)))
        let before = try newest(setup)
        let taking = try await setup.attachRaw(Self.taking)
        let whole = try await setup.attachRaw()
        var after = before
        // By the second, the base is what the first delta made.
        for lines in [Array(0..<101), Array(2..<101)] {
            await presenter.show(picture(lines))
            let old = after
            after = try newest(setup)
            let frame = try #require(await taking.next())
            #expect(frame.header.kind == .stateDelta)
            #expect(frame.payload.count < 100)
            #expect(
                try frame.payload.withUnsafeBytes {
                    try CBORDelta.apply($0, to: old.bytes, bytesMax: 1 << 20)
                } == after.bytes)
            let other = try #require(await whole.next())
            #expect(other.header.kind == .state)
            #expect(other.payload == after.bytes)
        }
        for peer in [taking, whole] { peer.channel.close() }
        await setup.end()
    }

    @Test func `what is small, or new throughout, goes whole`() async throws {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw(Self.taking)
        let presenter = setup.root.interactor.presenter
        func kind(_ text: String) async throws -> FrameKind? {
            await presenter.show(text)
            return await peer.next()?.header.kind
        }
        let small = String(repeating: "s", count: Limits.deltaStateBytesMin - 10)
        #expect(try await kind(small) == .state)
        #expect(try await kind(small + "s") == .state)
        let large = picture(Array(0..<50))
        #expect(try await kind(large) == .state)
        #expect(try await kind(large + "!") == .stateDelta)
        #expect(try await kind(String(repeating: "z", count: 3000)) == .state)
        // One that has been small in between has to be sent whole.
        #expect(try await kind(small) == .state)
        #expect(try await kind(String(repeating: "z", count: 3000) + "!") == .state)
        peer.channel.close()
        await setup.end()
    }

    @Test func `fronts that come, stand still and come back all have the newest`() async throws {
        let setup = await SessionSetup()
        let presenter = setup.root.interactor.presenter
        var lines = Array(0..<60)
        await presenter.show(picture(lines))
        let steady = [try await setup.attach(Self.taking), try await setup.attach(Self.taking)]
        let slow = try await setup.attach(Self.taking)
        for round in 0..<300 {
            if round % 100 == 20 { slow.front.link?.channel.stopReading() }
            if round % 100 == 80 { slow.front.link?.channel.startReading() }
            lines[round * 7919 % lines.count] += 1000
            if round % 7 == 0 { lines.removeFirst() }
            if round % 3 == 0 { lines.append(round) }
            if round % 50 == 49 { lines += 0..<10_000 }
            if round % 50 == 9, lines.count > 10_000 { lines.removeLast(9_000) }
            await presenter.show(picture(lines))
            if round % 5 == 0 { await presenter.count(round) }
        }
        slow.front.link?.channel.startReading()
        let late = try await setup.attach(Self.taking)
        let wanted = try newest(setup)
        for viewer in steady + [slow, late] {
            #expect(await settles { viewer.state("show(_:)", of: 1) == wanted })
            #expect(viewer.front.isConnected)
        }
        await setup.end()
    }

    @Test func `a delta is made once for all fronts that have the same`() async throws {
        let setup = await SessionSetup()
        let presenter = setup.root.interactor.presenter
        await presenter.show(picture(Array(0..<100)))
        var viewers: [Viewer] = []
        for _ in 0..<10 { viewers.append(try await setup.attach(Self.taking)) }
        for last in 101...105 {
            await presenter.show(picture(Array(0..<last)))
            let wanted = try newest(setup)
            for viewer in viewers {
                #expect(await settles { viewer.state("show(_:)", of: 1) == wanted })
            }
        }
        #expect(setup.session.stage.deltas.madeCount == 5)
        await setup.end()
    }

    @Test func `a delta that no state came before, or that does not fit, is a violation`()
        async throws
    {
        let header = FrameHeader(
            .stateDelta, node: 5, epoch: 1, method: MethodID(key: "tell(_:)").rawValue)
        let state = FrameHeader(
            .state, node: 5, epoch: 1, method: MethodID(key: "tell(_:)").rawValue)
        let cases: [(attach: Attach, state: [UInt8]?, delta: [UInt8])] = [
            (Self.taking, nil, [0x81, 0x00]), (Self.taking, [0x61, 0x61], [0x81, 0x03]),
            (Self.taking, [0x61, 0x61], [0xff]), (Attach(), [0x61, 0x61], [0x81, 0x02]),
        ]
        for (attach, first, delta) in cases {
            let worker = try await RawWorker(window: 1, attach: attach)
            if let first { worker.peer.send(state, payload: first) }
            worker.peer.send(header, payload: delta)
            let frame = try #require(await worker.peer.next())
            #expect(frame.header.kind == .goodbye)
            #expect(try frame.decode(Refusal.self).code == .protocolViolation)
            await worker.viewer.waitForEnd()
        }
    }
}
