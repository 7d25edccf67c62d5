// FrontCountTests: who asks for it is told how many fronts a session has.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    /// The number in the next frame, which must be the count.
    private func count(_ peer: FramePeer) async throws -> Int {
        let frame = try #require(await peer.next())
        #expect(frame.header.kind == .state)
        #expect(frame.header.method == MethodID.fronts.rawValue)
        #expect(frame.header.node == 1)
        return try Payload(frame.payload).decode(Int.self)
    }

    @Test func `a front that counts is told of those that come and go, others are not`()
        async throws
    {
        let setup = await SessionSetup()
        let counting = try await setup.attachRaw(Attach(countsFronts: true))
        #expect(try await count(counting) == 1)
        let other = try await setup.attachRaw()
        #expect(try await count(counting) == 2)
        let second = try await setup.attachRaw(Attach(countsFronts: true))
        #expect(try await count(second) == 3)
        #expect(try await count(counting) == 3)
        other.channel.close()
        #expect(try await count(counting) == 2)
        #expect(try await count(second) == 2)
        // Nothing else has come to the one that has not asked.
        let late = try await setup.attachRaw()
        await setup.root.interactor.presenter.show("the only one")
        let frame = try #require(await late.next())
        #expect(frame.header.method == MethodID(key: "show(_:)").rawValue)
        for peer in [counting, second, late] { peer.channel.close() }
        await setup.end()
    }
}
