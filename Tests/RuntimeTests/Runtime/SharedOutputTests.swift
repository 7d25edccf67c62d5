// SharedOutputTests: effects that all fronts see, with the states between them.

import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// Reads so many frames, each as its kind and value.
    private func read(_ peer: FramePeer, _ count: Int) async throws -> [String] {
        var lines: [String] = []
        for _ in 0..<count {
            let frame = try #require(await peer.next())
            switch frame.header.kind {
            case .effect: lines.append(try frame.decode(String.self))
            case .state: lines.append("\(try frame.decode(Int.self))")
            case let kind: lines.append("\(kind)")
            }
        }
        return lines
    }

    private func act(_ name: String) -> FrameHeader {
        FrameHeader(
            .event, node: 1, epoch: SessionSetup.epoch, sequence: 1,
            method: MethodID(key: "act(_:)").rawValue)
    }

    @Test func `a slow front loses effects for all beyond its limit, and no other does`()
        async throws
    {
        let setup = await SessionSetup()
        let slow = try await setup.attachRaw()
        let quick = try await setup.attachRaw(sendBufferBytes: 1 << 20)
        let presenter = setup.root.interactor.presenter
        slow.channel.stopReading()
        await presenter.show(String(repeating: "x", count: 2_000_000))
        #expect(await settles { setup.session.fronts[0].link?.isSlow == true })
        #expect(await quick.next()?.header.kind == .state)
        // Twice what is written at once.
        let text = String(repeating: "y", count: 200)
        let count = Limits.effectQueueMax + 5
        #expect(count * text.utf8.count > 2 * SharedOutput.effectBytesMax)
        await setup.root.interactor.teach("play") { _ in
            for number in 0..<count { await presenter.flash("\(number) \(text)") }
            return "played"
        }
        quick.send(act("play"), "play")
        #expect(
            try await read(quick, count + 1) == (0..<count).map { "\($0) \(text)" } + ["reply"])
        #expect(setup.session.fronts.map(\.droppedEffects) == [5, 0])
        slow.channel.startReading()
        #expect(await slow.next()?.header.kind == .state)
        #expect(try await slow.next()?.decode(Skipped.self) == Skipped(states: 0, effects: 5))
        #expect(
            try await read(slow, count - 5) == (0..<count - 5).map { "\($0) \(text)" })
        for peer in [slow, quick] { peer.channel.close() }
        await setup.end()
    }
}
