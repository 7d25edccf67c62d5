// OlderFrontTests: fronts of versions in which nothing is resumed, at a worker that resumes.

import NapkinCore
import NapkinProtocol
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private func attach(
        _ house: House, minor: UInt16, _ attach: Attach = Attach()
    ) async throws -> (RawPeer, Attached) {
        let peer = try RawPeer { house.admit($0) }
        let hello = Hello(role: .front, client: "raw", newest: ProtocolVersion(1, minor))
        peer.send(FrameHeader(.hello), hello)
        peer.send(FrameHeader(.attach), attach)
        #expect(await peer.next()?.header.kind == .welcome)
        let attached = try #require(await peer.next()).decode(Attached.self)
        #expect(await peer.next()?.header.kind == .transition)
        return (peer, attached)
    }

    /// What comes of a frame that may be a violation.
    private func outcome(_ peer: RawPeer) async -> FrameKind? {
        peer.send(FrameHeader(.ping, sequence: 9))
        while let frame = await peer.next() {
            if [.pong, .goodbye].contains(frame.header.kind) { return frame.header.kind }
        }
        return nil
    }

    @Test func `no number follows the greatest`() async throws {
        let house = await House()
        let (peer, _) = try await attach(house, minor: 1)
        let hear = MethodID(key: "hear(_:)").rawValue
        for number in [UInt64.max, 0] {
            let header = FrameHeader(
                .event, node: 1, epoch: House.epoch, sequence: number, method: hear)
            peer.send(header, 5)
        }
        #expect(await outcome(peer) == .goodbye)
        #expect(await house.hall.interactor.heard.count == 1)
        await house.end()
    }

    @Test(arguments: [0, 1, 2, 3, 4] as [UInt16])
    func `answers are confirmed from version 1,2 on`(minor: UInt16) async throws {
        let house = await House()
        let (peer, _) = try await attach(house, minor: minor)
        peer.send(FrameHeader(.received))
        #expect(await outcome(peer) == (minor < 2 ? .goodbye : .pong))
        await house.end()
    }

    @Test func `nobody takes over the connection of a front that cannot be resumed`() async throws {
        let house = await House()
        let (old, attached) = try await attach(house, minor: 1)
        let claim = Attach(previousFront: attached.front, previousEpoch: attached.epoch)
        let (_, other) = try await attach(house, minor: 2, claim)
        #expect(!other.isResumed)
        #expect(other.front != attached.front)
        #expect(house.session.fronts.count == 2)
        #expect(await outcome(old) == .pong)
        await house.end()
    }
}
