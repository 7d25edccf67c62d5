// OwnPageTests: pages of one front alone: who reaches them, and fronts that come and go meanwhile.

import NapkinCore
import NapkinProtocol
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static let own = "own"

    /// The hall has a page for each front from now on.
    private func openPages(
        _ house: House,
        _ build: @escaping @MainActor (AttachedFront) async -> any Routing = { _ in
            RoomRouter()
        }
    ) async {
        await house.hall.attach(FrontSlot<Room>(Self.own)) { _, front in await build(front) }
    }

    private func refusal(_ call: () async throws -> Int) async -> RemoteFault.Code? {
        do {
            _ = try await call()
            return nil
        } catch {
            return (error as? RemoteFault)?.code
        }
    }

    @Test func `another front's page is gone for an event that names its number`() async throws {
        let house = await House()
        await openPages(house)
        let (first, second) = (try await house.attach(), try await house.attach())
        #expect(try await first.room(2).double(4) == 8)
        #expect(await refusal { try await second.room(2).double(4) } == .gone)
        #expect(try await second.room(3).double(4) == 8)
        let reader = try await house.attach(Attach(isReadOnly: true))
        #expect(await refusal { try await reader.room(3).double(4) } == .refused)
        #expect(await refusal { try await reader.room(1).double(4) } == .refused)
        #expect(try await reader.room(4).double(4) == 8)
        await house.end()
    }

    @Test func `what is presented on a page crosses to its front and its mirrors alone`()
        async throws
    {
        let house = await House()
        var rooms: [UInt64: RoomRouter] = [:]
        await openPages(house) { front in
            let room = RoomRouter()
            rooms[front.id] = room
            return room
        }
        let first = try await house.attach()
        let second = try await house.attach(Attach(declinesAsks: true))
        let mirror = try await house.attach(Attach(mirrors: 1))
        let third = try await house.attach()
        let presenter = try #require(rooms[1]?.interactor.presenter)
        await presenter.tell("mine")
        await presenter.flash("now")
        let asking = Task.immediate { try await presenter.confirm("sure?") }
        #expect(await settles { !first.asked.isEmpty })
        // Who was not asked cannot answer.
        try third.answer(1, false)
        _ = try await third.room(4).double(1)
        try first.answer(1, true)
        #expect(try await asking.value)
        _ = try await second.room(1).double(1)
        #expect(rooms.keys.sorted() == [1, 2, 4])
        #expect(first.state("tell(_:)", of: 2) != nil)
        #expect(mirror.state("tell(_:)", of: 2) != nil)
        #expect(second.state("tell(_:)", of: 2) == nil)
        #expect(second.asked.isEmpty && mirror.asked.isEmpty)
        #expect(house.session.presence.value.map(\.isAskable) == [true, false, false, true])
        #expect(house.session.presence.value.map(\.isReadOnly) == [false, false, true, false])
        // Who declines questions is not asked on its own page either.
        let other = try #require(rooms[2]?.interactor.presenter)
        await #expect(throws: RemoteFault.self) { try await other.confirm("you?") }
        await house.end()
    }

    @Test func `a front that leaves while its page is built finds it when it comes back`()
        async throws
    {
        let house = await House()
        let (began, mayEnd) = (Latch(), Latch())
        var built = 0
        await openPages(house) { _ in
            built += 1
            began.open()
            await mayEnd.wait()
            return RoomRouter()
        }
        let front = FrontSession(client: "visitor")
        let early = try house.connect(as: front)
        await began.wait()
        #expect(house.session.fronts.isEmpty)
        house.session.seats[1]?.link?.close()
        await early.waitForEnd()
        #expect(early.attached == nil)
        let back = try house.connect(as: front)
        mayEnd.open()
        await back.waitForSnapshot()
        // It was never told its number, and is another front.
        #expect(back.attached?.front == 2)
        #expect(built == 2)
        #expect(try await back.room(3).double(2) == 4)
        #expect(house.session.detach(1) == 1)
        #expect(await settles { house.session.nodeCount == 2 })
        front.close()
        await house.end()
    }

    @Test func `a session that ends while a page is built ends for that front, too`() async throws {
        let house = await House()
        let (began, mayEnd) = (Latch(), Latch())
        await openPages(house) { _ in
            began.open()
            await mayEnd.wait()
            return RoomRouter()
        }
        let early = try house.connect()
        await began.wait()
        let ending = Task.immediate { await house.end() }
        await early.waitForEnd()
        #expect(early.lines.last?.contains("the test is over") == true)
        mayEnd.open()
        await ending.value
    }

    @Test func `nobody mirrors a stranger or a mirror, and a mirror ends with its front`()
        async throws
    {
        let house = await House()
        await openPages(house)
        let stranger = try house.connect(Attach(mirrors: 9))
        await stranger.waitForEnd()
        #expect(stranger.lines.last?.contains("has no front 9 that could be mirrored") == true)
        let first = try await house.attach()
        let mirror = try await house.attach(Attach(mirrors: 1))
        let image = try house.connect(Attach(mirrors: 2))
        await image.waitForEnd()
        #expect(image.lines.last?.contains("mirrors front 1 itself") == true)
        #expect(house.session.nodeCount == 2)
        first.front.detach()
        await mirror.waitForEnd()
        #expect(mirror.lines.last?.contains("which was mirrored, has left") == true)
        #expect(await settles { house.session.nodeCount == 1 })
        await house.end()
    }

    @Test func `a page in a place of its own cannot be dismissed`() async throws {
        let house = await House()
        let pages = FrontSlot<Room>(Self.own, presentation: .push)
        await house.hall.attach(pages) { _, _ in RoomRouter() }
        let front = try await house.attach()
        await #expect(throws: RemoteFault.self) { try await front.port(2).dismiss() }
        #expect(house.session.nodeCount == 2)
        await house.end()
    }
}
