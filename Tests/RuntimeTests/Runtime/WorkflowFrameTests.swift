// WorkflowFrameTests: URLs that fronts have opened, over real sockets.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import TestSupport
import Testing

@testable import NapkinRuntime

/// A journal and a latch for each workflow.
@MainActor
private final class Turns {
    private var turns: [(Journal, Latch)]

    init(_ turns: [(Journal, Latch)]) { self.turns = turns }

    func next() -> (Journal, Latch) { turns.removeFirst() }
}

extension RuntimeTests {
    /// `house://hall`, whose only step notes what becomes of it, and ends when its latch opens or
    /// it is cancelled.
    private func root(_ turn: @escaping @MainActor () -> (Journal, Latch)) -> DeepLinkRoute {
        DeepLinkRoute("house://hall", "opens the hall", on: TaughtActor.self) { _ in
            let (journal, gate) = turn()
            let workflow = Workflow<TaughtActor>()
            workflow.onStep("wait") { item in
                journal.note("running")
                await withTaskCancellationHandler {
                    await gate.wait()
                } onCancel: {
                    journal.note("cancelled")
                    Task { await gate.open() }
                }
                return (item, ())
            }.commit()
            return workflow
        }
    }

    /// A session with that root, and whose `house://shut` fails.
    private func setup(_ journal: Journal, gate: Latch = Latch()) async -> SessionSetup {
        await SessionSetup(deepLinks: [
            root { (journal, gate) },
            DeepLinkRoute("house://shut", "fails", on: TaughtActor.self) { _ in
                let workflow = Workflow<TaughtActor>()
                workflow.onStep("open") { item -> (TaughtActor, Void) in
                    throw Mishap(description: String(repeating: "shut ", count: 5000))
                }.commit()
                return workflow
            },
        ])
    }

    private func open(_ peer: FramePeer, _ number: UInt64, _ url: String) {
        peer.send(FrameHeader(.openURL, sequence: number), OpenURL(url: url))
    }

    /// Reads until the end of that workflow; the steps before it, and how it ended. What comes of
    /// others until then is lost.
    private func end(
        _ peer: FramePeer, _ number: UInt64
    ) async throws -> (steps: [String], WorkflowEnded) {
        var steps: [String] = []
        while true {
            let frame = try #require(await peer.next())
            guard frame.header.sequence == number else { continue }
            if frame.header.kind == .workflowEnded { return (steps, try frame.decode()) }
            let step = try frame.decode(WorkflowStep.self)
            steps.append("\(step.step)/\(step.of) \(step.name) \(step.state)")
        }
    }

    @Test func `what cannot be opened is refused, each in its words`() async throws {
        let setup = await setup(Journal())
        let peer = try await setup.attachRaw()
        open(peer, 1, "house:/hall")
        open(peer, 2, "house://cellar")
        open(peer, 3, "house://shut")
        let malformed = try await end(peer, 1)
        #expect(malformed.steps == [])
        #expect(malformed.1.outcome == .malformedURL)
        let unknown = try await end(peer, 2)
        #expect(unknown.1.outcome == .unknownURL)
        #expect(
            unknown.1.message == "house does not know house://cellar; it knows house://hall "
                + "(opens the hall), house://shut (fails)")
        let failed = try await end(peer, 3)
        #expect(failed.steps == ["1/1 open running", "1/1 open failed"])
        #expect(failed.1.outcome == .failed)
        // What a step throws is cut to what a person reads.
        let message = try #require(failed.1.message)
        #expect(message.hasPrefix("shut shut ") && message.utf8.count < 5000)
        open(peer, 4, "a://" + String(repeating: "b", count: Limits.urlBytesMax))
        #expect(try await end(peer, 4).1.outcome == .malformedURL)
        await setup.end()
    }

    @Test func `a connection that ends takes its workflows with it, and no other's`() async throws {
        let (first, second) = (Journal(), Journal())
        let gate = Latch()
        let turns = Turns([(first, Latch()), (second, gate)])
        let setup = await SessionSetup(deepLinks: [root(turns.next)])
        let (leaves, stays) = (try await setup.attachRaw(), try await setup.attachRaw())
        open(leaves, 1, "house://hall")
        await first.wait(for: "running")
        open(stays, 1, "house://hall")
        await second.wait(for: "running")
        #expect(setup.session.tree().workflows?.map(\.front) == [1, 2])
        leaves.channel.close()
        await first.wait(for: "cancelled")
        #expect(setup.session.tree().workflows?.map(\.front) == [2])
        gate.open()
        #expect(try await end(stays, 1).1.outcome == .completed)
        #expect(second.lines == ["running"])
        await setup.end()
    }

    @Test func `a route that is wrong is refused, and the session lives`() async throws {
        let astray = DeepLinkRoute("house://astray", "leads nowhere", on: Journal.self) { _ in
            Workflow()
        }
        let broken = DeepLinkRoute("house:broken", "none", on: TaughtActor.self) { _ in Workflow() }
        let setup = await SessionSetup(deepLinks: [astray, broken])
        let peer = try await setup.attachRaw()
        open(peer, 1, "house://astray")
        let first = try await end(peer, 1).1
        #expect(first.outcome == .failed)
        let message =
            "the route house://astray opens nothing: TaughtActor does not conform to Journal"
        #expect(first.message == message)
        open(peer, 2, "house://broken")
        let second = try await end(peer, 2).1
        #expect(second.outcome == .unknownURL)
        #expect(second.message?.contains("the route house:broken opens nothing") == true)
        await setup.end()
    }

    @Test func `an unreadable openURL is a violation`() async throws {
        let setup = await setup(Journal())
        let peer = try await setup.attachRaw()
        peer.send(FrameHeader(.openURL, sequence: 1), ["address": "house://hall"])
        #expect(await peer.next()?.header.kind == .goodbye)
        await setup.end()
    }

    // MARK: - The front's side

    @Test func `a client hears of its workflow until the end, and of no other`() async throws {
        let setup = await setup(Journal())
        let viewer = try await setup.attach()
        let number = try #require(viewer.front.openURL("house://hall"))
        await viewer.journal.wait(for: "workflow 1: 1/1 wait running")
        viewer.front.cancelWorkflow(number)
        viewer.front.cancelWorkflow(77)
        await viewer.journal.wait(for: "workflow 1 ended: cancelled")
        viewer.front.cancelWorkflow(number)
        #expect(viewer.front.openURL("house://cellar") == 2)
        await viewer.journal.wait(for: "workflow 2 ended: unknownURL")
        #expect(viewer.lines.count { $0.hasPrefix("workflow") } == 4)
        await setup.end()
    }
}
