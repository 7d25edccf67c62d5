// SlowFrontTests: fronts that read more slowly than a worker presents.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// A picture of that many bytes.
    private func picture(_ count: Int) -> String { String(repeating: "x", count: count) }

    /// Reads up to the state of that method; returns how many frames of each kind there were.
    private func read(
        _ peer: FramePeer, upTo key: String
    ) async throws -> [FrameKind: Int] {
        var counts: [FrameKind: Int] = [:]
        while true {
            let frame = try #require(await peer.next())
            counts[frame.header.kind, default: 0] += 1
            if frame.header.method == MethodID(key: key).rawValue { return counts }
        }
    }

    @Test func `a front that reads again is told what it has missed, before the newest`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let presenter = setup.root.interactor.presenter
        peer.channel.stopReading()
        await presenter.show(picture(2_000_000))
        #expect(await settles { setup.session.fronts.allSatisfy { $0.link?.isSlow == true } })
        for number in 0..<100 { await presenter.count(number) }
        for number in 0..<(Limits.effectQueueMax + 3) { await presenter.flash("\(number)") }
        peer.channel.startReading()
        #expect(await peer.next()?.header.kind == .state)
        let told = try #require(await peer.next())
        #expect(told.header.kind == .skipped)
        #expect(try told.decode(Skipped.self) == Skipped(states: 99, effects: 3))
        let newest = try #require(await peer.next())
        #expect(newest.header.method == MethodID(key: "count(_:)").rawValue)
        #expect(newest.payload == [0x18, 99])
        // What was told is not told again.
        await presenter.tell("last")
        #expect(
            try await read(peer, upTo: "tell(_:)")
                == [.effect: Limits.effectQueueMax, .state: 1])
        peer.channel.close()
        await setup.end()
    }

    @Test func `a burst that the kernel takes whole does not hold up what waits behind it`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw(sendBufferBytes: 1 << 20)
        let presenter = setup.root.interactor.presenter
        // Past the limit of a slow front within one turn, and not past the socket's buffer.
        await presenter.show(picture(Limits.slowFrontBytes + 1))
        await presenter.count(1)
        await presenter.tell("last")
        #expect(try await read(peer, upTo: "tell(_:)") == [.state: 3])
        peer.channel.close()
        await setup.end()
    }

    @Test func `a goodbye is not lost when the socket drains before it is written`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let link = try #require(setup.session.fronts.first?.link)
        link.refuse(Refusal(.shuttingDown, "good night"))
        // As libuv may say in the same poll.
        link.channelDidDrain(link.channel)
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == .goodbye)
        #expect(await peer.next() == nil)
        await setup.end()
    }
}
