// ReleaseTests: links, clients and fronts hold one another until their end, and not longer.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// Everything of one connection, held by nobody here.
@MainActor
private final class Remains {
    weak var setup: SessionSetup?
    weak var session: SessionHost?
    weak var viewer: Viewer?
    weak var frontSession: FrontSession?
    weak var near: Link?
    weak var far: Link?
    weak var front: FrontSeat?
    weak var node: FeatureNode?
    weak var interactor: TaughtActor?

    var names: [String] {
        let all: [(String, AnyObject?)] = [
            ("setup", setup), ("session", session), ("viewer", viewer),
            ("front's session", frontSession),
            ("near link", near), ("far link", far), ("front", front), ("node", node),
            ("interactor", interactor),
        ]
        return all.compactMap { $0.1 == nil ? nil : $0.0 }
    }
}

/// How a connection is brought to its end.
enum Ending: String, CaseIterable {
    case frontDetaches, frontVanishes, workerCloses, workerRefuses, frontViolates, workerViolates
}

/// Who looks at the session meanwhile, and still does when it ends.
enum Look: CaseIterable { case nobody, tracer, meter }

extension RuntimeTests {
    /// Makes a connection, lets events, handlers and a question be under way, and ends it.
    private func use(_ remains: Remains, _ ending: Ending, _ look: Look) async throws {
        let setup = await SessionSetup()
        let panel = await setup.attachLeft()
        await panel.interactor.teach("wait") { _ in
            await untilCancelled()
            throw CancellationError()
        }
        let (channel, descriptor) = try Channel.pair()
        setup.admit(try Channel.adopt(descriptor: descriptor))
        let viewer = Viewer(channel)
        await viewer.waitForSnapshot()
        let front = try #require(setup.session.fronts.first)
        remains.setup = setup
        remains.session = setup.session
        remains.viewer = viewer
        remains.frontSession = viewer.front
        remains.near = channel.delegate as? Link
        remains.far = front.link
        remains.front = front
        remains.node = panel.node
        remains.interactor = panel.interactor
        #expect(remains.names.count == 9)
        let looking = try await begin(look, at: setup.session)

        let view = viewer.panel(2)
        let waits = (0..<20).map { _ in
            Task.immediate { await fault { try await view.act("wait") } }
        }
        #expect(try await view.double(1) == 2)
        let presenter = panel.interactor.presenter
        let asking = Task.immediate { await fault { try await presenter.confirm("sure?") } }
        await viewer.journal.wait(for: "2 asks confirm(\"sure?\")")
        end(viewer.front, channel, front, ending)
        for wait in waits { #expect(await wait.value?.code == .unknown) }
        await viewer.waitForEnd()
        #expect(viewer.lines.count { $0.hasPrefix("session ended") } == 1)
        // The handlers still run, for nobody; their node's end is theirs.
        #expect(setup.session.runningHandlers == 20)
        // A front that has not said that it leaves may come back and answer.
        let isAway = ending != .frontDetaches
        #expect(await settles { setup.session.openQuestions == (isAway ? 1 : 0) })
        // With the session's end their answers come to somebody who has gone.
        if look == .nobody { await setup.root.detach(setup.root.left) }
        await setup.end()
        #expect(await asking.value?.code == (isAway ? .gone : .noFront))
        await looking.value
    }

    /// Begins to look; what is returned ends when there is nothing more to see.
    private func begin(_ look: Look, at session: SessionHost) async throws -> Task<Void, Never> {
        switch look {
        case .nobody: return Task {}
        case .meter:
            _ = await session.figures()
            return Task {}
        case .tracer:
            let tracer = try await session.trace(nil, feature: nil, values: true).tracer
            return Task.immediate {
                // Refused in the end, when the session has forgotten everybody.
                while let batch = try? await session.trace(tracer, feature: nil, values: true) {
                    #expect(batch.tracer == tracer)
                }
            }
        }
    }

    private func end(
        _ session: FrontSession, _ channel: Channel, _ front: FrontSeat, _ ending: Ending
    ) {
        switch ending {
        case .frontDetaches: session.detach()
        case .frontVanishes: channel.close()
        case .workerCloses: front.link?.close()
        case .workerRefuses: front.link?.refuse(Refusal(.shuttingDown, "good night"))
        case .frontViolates: front.link?.violate("the front breaks the protocol")
        case .workerViolates: (channel.delegate as? Link)?.violate("the worker breaks it")
        }
    }

    @Test(arguments: Ending.allCases, Look.allCases)
    func `nothing is left of a connection that has ended`(
        _ ending: Ending, _ look: Look
    ) async throws {
        let remains = Remains()
        try await use(remains, ending, look)
        #expect(await settles { remains.names.isEmpty }, "left: \(remains.names)")
    }

    /// In a process of its own: other targets' tests open handles of the same loop meanwhile.
    @Test func `no socket and no timer is left of connections that have ended`() async {
        await #expect(processExitsWith: .success) { @MainActor in
            for ending in Ending.allCases {
                for look in Look.allCases {
                    try await RuntimeTests().use(Remains(), ending, look)
                }
            }
            #expect(await settles { Loop.shared.liveHandles <= 1 })
        }
    }

    @Test func `nothing is left of a connection that never was attached`() async throws {
        let remains = Remains()
        try await {
            let peer = try FramePeer { channel in
                let viewer = Viewer(channel)
                remains.viewer = viewer
                remains.frontSession = viewer.front
                remains.near = channel.delegate as? Link
            }
            // The client lives by its link, although nobody holds it.
            #expect(await peer.next()?.header.kind == .hello)
            #expect(remains.frontSession != nil)
            peer.channel.close()
        }()
        #expect(await settles { remains.names.isEmpty }, "left: \(remains.names)")
    }
}
