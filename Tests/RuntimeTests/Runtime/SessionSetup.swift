// SessionSetup: a session with its tree, to which fronts attach over real sockets.
//
// Isolation  @MainActor: the main queue, in which the loop is embedded here.

import NapkinCoding
import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

/// All tests share the one loop and the one pool of handlers: one after another.
@MainActor
@Suite(.serialized, .timeLimit(.minutes(10)))
struct RuntimeTests {}

/// One session whose root is a panel.
@MainActor
final class SessionSetup {
    static let epoch: UInt32 = 7

    let session: SessionHost
    let root = TaughtRouter()

    init(deepLinks: [DeepLinkRoute] = []) async {
        session = SessionHost(
            name: "house", app: "house", epoch: Self.epoch, features: [Panel.self],
            deepLinks: deepLinks)
        await session.launch(root)
    }

    /// A front that is connected and on its way to be attached.
    ///
    /// - Parameter front: one that has been here, or will come back.
    func connect(_ attach: Attach = Attach(), as front: FrontSession? = nil) throws -> Viewer {
        let (near, descriptor) = try Channel.pair()
        admit(try Channel.adopt(descriptor: descriptor))
        return Viewer(near, attach, as: front)
    }

    /// A front that is attached and has the snapshot.
    func attach(
        _ attach: Attach = Attach(), as front: FrontSession? = nil
    ) async throws -> Viewer {
        let viewer = try connect(attach, as: front)
        await viewer.waitForSnapshot()
        return viewer
    }

    /// A front that speaks in frames, attached; its snapshot has been read.
    ///
    /// - Parameter sendBufferBytes: what the kernel takes of the worker's; `nil` for its default.
    func attachRaw(
        _ attach: Attach = Attach(), sendBufferBytes: Int32? = nil
    ) async throws -> FramePeer {
        let peer = try FramePeer(sendBufferBytes: sendBufferBytes) { self.admit($0) }
        peer.send(FrameHeader(.hello), Hello(role: .front, client: "raw"))
        peer.send(FrameHeader(.attach), attach)
        for kind in [FrameKind.welcome, .attached, .transition] {
            #expect(await peer.next()?.header.kind == kind)
        }
        return peer
    }

    @discardableResult
    func admit(_ channel: Channel) -> AttachReceiver { AttachReceiver(session, channel) }

    /// Attaches a child with this router in the root's left slot.
    func attachLeft() async -> PanelRouter {
        let panel = PanelRouter()
        await root.attach(root.left) { panel }
        return panel
    }

    /// Lets every front go, and takes the tree down.
    func end() async {
        await session.end(Refusal(.sessionEnded, "the test is over"))
    }
}

/// The acceptor's side of a connection until the front asks to attach.
@MainActor
final class AttachReceiver: LinkDelegate {
    private let session: SessionHost
    /// Called in the turn in which a front has joined.
    var joined: () -> Void = {}

    init(_ session: SessionHost, _ channel: Channel) {
        self.session = session
        // Kept by its channel.
        let role = ConnectionStateMachine.Role.acceptor(.worker, server: "house", pid: 1)
        Link(channel: channel, role: role).start(self)
    }

    func linkEstablished(_ link: Link) {}

    func link(_ link: Link, received header: FrameHeader, _ payload: UnsafeRawBufferPointer) {
        do {
            var reader = CBORReader(payload)
            session.join(link, try reader.read(Attach.self))
            joined()
        } catch {
            link.violate("no attach: \(error)")
        }
    }

    func linkEnded(_ link: Link, _ end: ConnectionEnd) {}
}
