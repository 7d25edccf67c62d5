// AskTests: questions of an interactor, and who answers them.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension TaughtActor {
    fileprivate func asks(_ limit: Duration?, _ waitsForFronts: Bool) async -> String {
        do {
            let answer = try await ask(within: limit, waitsForFronts: waitsForFronts) {
                try await presenter.confirm("sure?")
            }
            return "\(answer.value) from \(answer.front?.description ?? "nobody")"
        } catch {
            return (error as? RemoteFault)?.code.rawValue ?? "\(error)"
        }
    }
}

extension RuntimeTests {
    private static let question = "1 asks confirm(\"sure?\")"

    private typealias Asking = Task<Result<Bool, RemoteFault>, Never>

    /// Has a panel ask, and returns when the question is on its way.
    private func ask(_ presenter: any PanelPresentable) -> Asking {
        Task.immediate {
            do {
                return .success(try await presenter.confirm("sure?"))
            } catch let fault as RemoteFault {
                return .failure(fault)
            } catch {
                return .failure(RemoteFault(reporting: error))
            }
        }
    }

    private func code(_ asking: Asking) async -> RemoteFault.Code? {
        if case .failure(let fault) = await asking.value { fault.code } else { nil }
    }

    @Test func `a front answers, in any order and with any value`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let presenter = setup.root.interactor.presenter
        let (first, second) = (ask(presenter), ask(presenter))
        await viewer.journal.wait(for: Self.question)
        #expect(await settles { viewer.asked.count == 2 })
        try viewer.answer(viewer.asked[1], false)
        #expect(await second.value == .success(false))
        try viewer.answer(viewer.asked[0], true)
        #expect(await first.value == .success(true))
        #expect(setup.session.stage.asks.count == 0)
        #expect(viewer.journal.count(of: "ask 1 ended") == 0)
        await setup.end()
    }

    @Test func `whoever asked goes on before the event that comes behind the answer`()
        async throws
    {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let interactor = setup.root.interactor
        let journal = Journal()
        await interactor.teach("ask") { interactor in
            journal.note("answered \(try await interactor.presenter.confirm("sure?"))")
            return ""
        }
        await interactor.teach("tap") { _ in
            journal.note("tapped")
            return ""
        }
        let view = viewer.panel(1)
        for round in 1...20 {
            let asking = Task.immediate { try await view.act("ask") }
            #expect(await settles { viewer.asked.count == round })
            // Both in one turn, and so in one write.
            try viewer.answer(viewer.asked[round - 1], true)
            _ = try await view.act("tap")
            _ = try await asking.value
        }
        let rounds = Array(repeating: ["answered true", "tapped"], count: 20)
        #expect(journal.lines == rounds.flatMap(\.self))
        await setup.end()
    }

    @Test func `a read-only front is not asked, and its answer does not count`() async throws {
        let setup = await SessionSetup()
        let viewer = try await setup.attach()
        let reader = try await setup.attach(Attach(isReadOnly: true))
        let asking = ask(setup.root.interactor.presenter)
        await viewer.journal.wait(for: Self.question)
        try reader.answer(1, false)
        // Refused after the answer has been looked at.
        #expect(await fault { try await reader.panel(1).double(1) }?.code == .refused)
        try viewer.answer(1, true)
        #expect(await asking.value == .success(true))
        #expect(reader.asked.isEmpty)
        #expect(reader.journal.count(of: "ask 1 ended") == 0)
        await setup.end()
    }

    @Test func `when the last front that could answer leaves, the question fails`()
        async throws
    {
        let setup = await SessionSetup()
        let viewers = [try await setup.attach(), try await setup.attach()]
        let reader = try await setup.attach(Attach(isReadOnly: true))
        let asking = ask(setup.root.interactor.presenter)
        for viewer in viewers { await viewer.journal.wait(for: Self.question) }
        viewers[0].front.detach()
        #expect(await settles { setup.session.fronts.count == 2 })
        #expect(setup.session.stage.asks.count == 1)
        viewers[1].front.detach()
        #expect(await code(asking) == .noFront)
        #expect(reader.front.isConnected)
        await setup.end()
    }

    @Test func `a connection lost for a moment does not end the only screen's question`()
        async throws
    {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        let first = try await setup.attach(as: front)
        let asking = ask(setup.root.interactor.presenter)
        await first.journal.wait(for: Self.question)
        setup.session.fronts.first?.link?.close()
        await first.waitForEnd()
        #expect(setup.session.fronts.isEmpty && setup.session.stage.asks.count == 1)
        let second = try await setup.attach(as: front)
        await second.journal.wait(for: Self.question)
        #expect(second.asked == first.asked)
        try second.answer(1, true)
        #expect(await asking.value == .success(true))
        front.close()
        await setup.end()
    }

    @Test func `a question ends when the front that is away is forgotten, and not before`()
        async throws
    {
        let setup = await SessionSetup()
        let peer = try await setup.attachRaw()
        let asking = ask(setup.root.interactor.presenter)
        #expect(await peer.next()?.header.kind == .ask)
        peer.channel.close()
        #expect(await settles { setup.session.fronts.isEmpty })
        #expect(setup.session.stage.asks.count == 1)
        // Nobody is there whom a new question could be put to.
        #expect(await code(ask(setup.root.interactor.presenter)) == .noFront)
        #expect(setup.session.detach(nil) == 1)
        #expect(await code(asking) == .noFront)
        await setup.end()
    }

    @Test func `when the node is unmounted, its questions end and the fronts are told`()
        async throws
    {
        let setup = await SessionSetup()
        let panel = await setup.attachLeft()
        let viewer = try await setup.attach()
        let asking = ask(panel.interactor.presenter)
        let other = ask(setup.root.interactor.presenter)
        await viewer.journal.wait(for: Self.question)
        await setup.root.detach(setup.root.left)
        #expect(await code(asking) == .gone)
        await viewer.journal.wait(for: "ask 1 ended")
        #expect(await code(ask(panel.interactor.presenter)) == .gone)
        try viewer.answer(2, true)
        #expect(await other.value == .success(true))
        await setup.end()
    }

    @Test func `a question is withdrawn with its asker, for everyone who was asked`()
        async throws
    {
        let setup = await SessionSetup()
        let early = try await setup.attach()
        let asking = ask(setup.root.interactor.presenter)
        let late = try await setup.attach()
        for viewer in [early, late] { await viewer.journal.wait(for: Self.question) }
        asking.cancel()
        #expect(await code(asking) == .cancelled)
        for viewer in [early, late] { await viewer.journal.wait(for: "ask 1 ended") }
        await setup.end()
    }

    @Test func `a question of a node that came and went within one batch ends`() async throws {
        let setup = await SessionSetup()
        _ = try await setup.attach()
        let root = setup.root
        var asking: Asking?
        await root.transition {
            let panel = PanelRouter()
            await root.attach(root.left) { panel }
            asking = ask(panel.interactor.presenter)
            await root.detach(root.left)
        }
        #expect(await code(try #require(asking)) == .gone)
        #expect(setup.session.stage.asks.count == 0)
        await setup.end()
    }

    /// Asks with terms; returns who has answered, as text, or the fault's code.
    private func ask(
        _ setup: SessionSetup, within limit: Duration?, waitsForFronts: Bool
    ) -> Task<String, Never> {
        let interactor = setup.root.interactor
        return Task.immediate { await interactor.asks(limit, waitsForFronts) }
    }

    @Test func `a question waits for somebody to come, and says who has answered`() async throws {
        let setup = await SessionSetup()
        #expect(await ask(setup, within: nil, waitsForFronts: false).value == "noFront")
        let asking = ask(setup, within: .seconds(3600), waitsForFronts: true)
        #expect(await settles { setup.session.stage.asks.count == 1 })
        let first = try await setup.attach(Attach(name: "Ada"))
        await first.journal.wait(for: Self.question)
        // Nobody is there for a while, and the question is not over.
        first.front.detach()
        #expect(await settles { setup.session.fronts.isEmpty })
        let second = try await setup.attach(Attach(name: "Bob"))
        let third = try await setup.attach()
        for viewer in [second, third] { await viewer.journal.wait(for: Self.question) }
        try second.answer(1, true)
        #expect(await asking.value == "true from Bob")
        await third.journal.wait(for: "ask 1 ended by Bob")
        let next = ask(setup, within: nil, waitsForFronts: true)
        await second.journal.wait(for: "1 asks confirm(\"sure?\")")
        #expect(await settles { third.asked.count == 2 })
        try third.answer(2, false)
        #expect(await next.value == "false from front 3 (visitor)")
        await second.journal.wait(for: "ask 2 ended by front 3 (visitor)")
        await setup.end()
    }

    @Test(arguments: [false, true])
    func `a question ends when its time has passed, also without a front`(
        isWatched: Bool
    ) async throws {
        let setup = await SessionSetup()
        let viewer = isWatched ? try await setup.attach() : nil
        let asking = ask(setup, within: .milliseconds(20), waitsForFronts: true)
        #expect(await asking.value == "deadlineExceeded")
        #expect(setup.session.stage.asks.count == 0)
        await viewer?.journal.wait(for: "ask 1 ended")
        await setup.end()
    }

    @Test(arguments: [0, 129]) func `a front's name is neither empty nor too long`(
        length: Int
    ) async throws {
        let setup = await SessionSetup()
        let name = String(repeating: "n", count: length)
        #expect(setup.session.refusal(of: Attach(name: name))?.code == .badRequest)
        #expect(
            setup.session.refusal(of: Attach(name: name + "n"))?.code != .badRequest || length > 0)
        await setup.end()
    }
}
