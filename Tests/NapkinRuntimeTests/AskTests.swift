// AskTests: questions of an interactor, and who answers them.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import NapkinTransport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static let question = "1 asks confirm(\"sure?\")"

    private typealias Asking = Task<Result<Bool, RemoteFault>, Never>

    /// Has a room ask, and returns when the question is on its way.
    private func ask(_ presenter: any RoomPresentable) -> Asking {
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
        let house = await House()
        let visitor = try await house.attach()
        let presenter = house.hall.interactor.presenter
        let (first, second) = (ask(presenter), ask(presenter))
        await visitor.journal.wait(for: Self.question)
        #expect(await settles { visitor.asked.count == 2 })
        try visitor.answer(visitor.asked[1], false)
        #expect(await second.value == .success(false))
        try visitor.answer(visitor.asked[0], true)
        #expect(await first.value == .success(true))
        #expect(house.session.asks.count == 0)
        #expect(visitor.journal.count(of: "ask 1 ended") == 0)
        await house.end()
    }

    @Test func `whoever asked goes on before the event that comes behind the answer`()
        async throws
    {
        let house = await House()
        let visitor = try await house.attach()
        let tenant = house.hall.interactor
        let journal = Journal()
        await tenant.teach("ask") { tenant in
            journal.note("answered \(try await tenant.presenter.confirm("sure?"))")
            return ""
        }
        await tenant.teach("tap") { _ in
            journal.note("tapped")
            return ""
        }
        let view = visitor.room(1)
        for round in 1...20 {
            let asking = Task.immediate { try await view.act("ask") }
            #expect(await settles { visitor.asked.count == round })
            // Both in one turn, and so in one write.
            try visitor.answer(visitor.asked[round - 1], true)
            _ = try await view.act("tap")
            _ = try await asking.value
        }
        let rounds = Array(repeating: ["answered true", "tapped"], count: 20)
        #expect(journal.lines == rounds.flatMap(\.self))
        await house.end()
    }

    @Test func `of two fronts the first answer counts, and the other front is told`()
        async throws
    {
        let house = await House()
        let visitors = [try await house.attach(), try await house.attach()]
        let asking = ask(house.hall.interactor.presenter)
        for visitor in visitors { await visitor.journal.wait(for: Self.question) }
        try visitors[1].answer(1, true)
        try visitors[0].answer(1, false)
        #expect(await asking.value == .success(true))
        await visitors[0].journal.wait(for: "ask 1 ended")
        // Late and unknown answers change nothing.
        try visitors[0].answer(1, false)
        try visitors[0].answer(77, false)
        #expect(try await visitors[0].room(1).double(1) == 2)
        #expect(visitors[1].journal.count(of: "ask 1 ended") == 0)
        await house.end()
    }

    @Test func `a front that comes later is asked what is still open`() async throws {
        let house = await House()
        let first = try await house.attach()
        let asking = ask(house.hall.interactor.presenter)
        let second = try await house.attach()
        await second.journal.wait(for: Self.question)
        try second.answer(1, true)
        #expect(await asking.value == .success(true))
        await first.journal.wait(for: "ask 1 ended")
        await house.end()
    }

    @Test func `without a front that could answer, the question fails`() async throws {
        let house = await House()
        let presenter = house.hall.interactor.presenter
        #expect(await code(ask(presenter)) == .noFront)
        let reader = try await house.attach(Attach(isReadOnly: true))
        #expect(await code(ask(presenter)) == .noFront)
        #expect(reader.asked.isEmpty)
        await house.end()
    }

    @Test func `a read-only front is not asked, and its answer does not count`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        let reader = try await house.attach(Attach(isReadOnly: true))
        let asking = ask(house.hall.interactor.presenter)
        await visitor.journal.wait(for: Self.question)
        try reader.answer(1, false)
        // Refused after the answer has been looked at.
        #expect(await fault { try await reader.room(1).double(1) }?.code == .refused)
        try visitor.answer(1, true)
        #expect(await asking.value == .success(true))
        #expect(reader.asked.isEmpty)
        #expect(reader.journal.count(of: "ask 1 ended") == 0)
        await house.end()
    }

    @Test func `when the last front that could answer leaves, the question fails`()
        async throws
    {
        let house = await House()
        let visitors = [try await house.attach(), try await house.attach()]
        let reader = try await house.attach(Attach(isReadOnly: true))
        let asking = ask(house.hall.interactor.presenter)
        for visitor in visitors { await visitor.journal.wait(for: Self.question) }
        visitors[0].front.detach()
        #expect(await settles { house.session.fronts.count == 2 })
        #expect(house.session.asks.count == 1)
        visitors[1].front.detach()
        #expect(await code(asking) == .noFront)
        #expect(reader.front.isConnected)
        await house.end()
    }

    @Test func `a connection lost for a moment does not end the only screen's question`()
        async throws
    {
        let house = await House()
        let front = FrontSession(client: "visitor")
        let first = try await house.attach(as: front)
        let asking = ask(house.hall.interactor.presenter)
        await first.journal.wait(for: Self.question)
        house.session.fronts.first?.link?.close()
        await first.waitForEnd()
        #expect(house.session.fronts.isEmpty && house.session.asks.count == 1)
        let second = try await house.attach(as: front)
        await second.journal.wait(for: Self.question)
        #expect(second.asked == first.asked)
        try second.answer(1, true)
        #expect(await asking.value == .success(true))
        front.close()
        await house.end()
    }

    @Test func `a question ends when the front that is away is forgotten, and not before`()
        async throws
    {
        let house = await House()
        let peer = try await house.attachRaw()
        let asking = ask(house.hall.interactor.presenter)
        #expect(await peer.next()?.header.kind == .ask)
        peer.channel.close()
        #expect(await settles { house.session.fronts.isEmpty })
        #expect(house.session.asks.count == 1)
        // Nobody is there whom a new question could be put to.
        #expect(await code(ask(house.hall.interactor.presenter)) == .noFront)
        #expect(house.session.detach(nil) == 1)
        #expect(await code(asking) == .noFront)
        await house.end()
    }

    @Test func `when the node is unmounted, its questions end and the fronts are told`()
        async throws
    {
        let house = await House()
        let room = await house.furnishLeft()
        let visitor = try await house.attach()
        let asking = ask(room.interactor.presenter)
        let other = ask(house.hall.interactor.presenter)
        await visitor.journal.wait(for: Self.question)
        await house.hall.detach(house.hall.left)
        #expect(await code(asking) == .gone)
        await visitor.journal.wait(for: "ask 1 ended")
        #expect(await code(ask(room.interactor.presenter)) == .gone)
        try visitor.answer(2, true)
        #expect(await other.value == .success(true))
        await house.end()
    }

    @Test func `a question is withdrawn with its asker, for everyone who was asked`()
        async throws
    {
        let house = await House()
        let early = try await house.attach()
        let asking = ask(house.hall.interactor.presenter)
        let late = try await house.attach()
        for visitor in [early, late] { await visitor.journal.wait(for: Self.question) }
        asking.cancel()
        #expect(await code(asking) == .cancelled)
        for visitor in [early, late] { await visitor.journal.wait(for: "ask 1 ended") }
        await house.end()
    }

    @Test func `the end of the session ends its questions`() async throws {
        let house = await House()
        let visitor = try await house.attach()
        let asking = ask(house.hall.interactor.presenter)
        await visitor.journal.wait(for: Self.question)
        await house.end()
        let end = await code(asking)
        #expect(end == .gone || end == .noFront)
        await visitor.waitForEnd()
    }

    @Test func `a question of a node that came and went within one batch ends`() async throws {
        let house = await House()
        _ = try await house.attach()
        let hall = house.hall
        var asking: Asking?
        await hall.transition {
            let room = RoomRouter()
            await hall.attach(hall.left) { room }
            asking = ask(room.interactor.presenter)
            await hall.detach(hall.left)
        }
        #expect(await code(try #require(asking)) == .gone)
        #expect(house.session.asks.count == 0)
        await house.end()
    }
}
