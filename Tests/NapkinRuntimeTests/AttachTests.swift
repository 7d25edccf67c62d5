// AttachTests: what a front is shown, from its attachment on.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `a front that attaches gets the tree with its states, then what changes`()
        async throws
    {
        let house = await House()
        let room = await house.furnishLeft()
        await house.hall.interactor.presenter.tell("hello")
        await room.interactor.presenter.count(3)
        let visitor = try await house.attach()
        #expect(
            visitor.lines == [
                "attached to house",
                "snapshot: mount 1, tell(\"hello\"); "
                    + "mount 2 under 1 in left, count(3)",
            ])
        await room.interactor.presenter.count(4)
        await visitor.journal.wait(for: "2 state count(4)")
        await house.hall.detach(house.hall.left)
        await visitor.journal.wait(for: "unmount 2")
        await house.end()
    }

    @Test func `of the states of one tick the newest arrives, in the place of the first`()
        async throws
    {
        let house = await House()
        let visitor = try await house.attach()
        _ = visitor.journal.take()
        let presenter = house.hall.interactor.presenter
        for count in 1...100 { await presenter.count(count) }
        await presenter.flash("now")
        await presenter.tell("then")
        await presenter.count(101)
        await visitor.journal.wait(for: "1 state tell(\"then\")")
        #expect(
            visitor.lines == [
                "1 state count(101)", "1 effect flash(\"now\")",
                "1 state tell(\"then\")",
            ])
        #expect(house.session.fronts.map(\.mergedStates) == [100])
        await house.end()
    }

    @Test func `an effect that nobody can see is counted and not kept`() async throws {
        let house = await House()
        await house.hall.interactor.presenter.flash("too early")
        #expect(house.session.unseenEffects == 1)
        let visitor = try await house.attach()
        await house.hall.interactor.presenter.flash("in time")
        await visitor.journal.wait(for: "1 effect flash(\"in time\")")
        #expect(visitor.lines.count == 3)
        await house.end()
    }

    @Test func `a swap is one batch for the fronts`() async throws {
        let house = await House()
        _ = await house.furnishLeft()
        let visitor = try await house.attach()
        let hall = house.hall
        await hall.transition {
            await hall.detach(hall.left)
            await hall.attach(hall.right) {
                let room = RoomRouter()
                await room.interactor.presenter.count(1)
                return room
            }
        }
        await visitor.journal.wait(
            for: "unmount 2; mount 3 under 1 in right, count(1)")
        await house.end()
    }

    @Test func `a front that attaches during a transition sees what stood before it`()
        async throws
    {
        let house = await House()
        let room = await house.furnishLeft()
        let hall = house.hall
        let (reached, latch) = (Latch(), Latch())
        let transition = dispatch {
            await hall.transition {
                await hall.detach(hall.left)
                // The same router again: its node has another number, which no front knows yet.
                await hall.attach(hall.left) { room }
                reached.open()
                await latch.wait()
            }
        }
        await reached.wait()
        let visitor = try await house.attach()
        #expect(visitor.lines.last == "snapshot: mount 1; mount 2 under 1 in left")
        await room.interactor.presenter.count(5)
        latch.open()
        await transition.value
        await visitor.journal.wait(
            for: "unmount 2; mount 3 under 1 in left, count(5)")
        await house.end()
    }

    @Test func `a front is told who it is, and whether it came back to the same tree`()
        async throws
    {
        let house = await House()
        let front = FrontSession(client: "visitor")
        let first = try await house.attach(Attach(wantsSchema: true), as: front)
        #expect(first.front.schemas == [Room.schema])
        let expected = Attached(
            app: "house", session: "house", front: 1, epoch: House.epoch,
            window: Limits.eventWindow, isResumed: false)
        #expect(first.attached == expected)
        let second = try await house.attach()
        #expect(second.attached?.front == 2)
        #expect(second.attached?.isResumed == false)
        #expect(second.front.schemas.isEmpty)
        first.front.detach()
        let third = try await house.attach(as: front)
        #expect(third.attached?.front == 3)
        #expect(third.attached?.isResumed == false)
        house.session.fronts.last?.link?.close()
        await third.waitForEnd()
        let again = try await house.attach(as: front)
        #expect(again.attached?.front == 3)
        #expect(again.attached?.isResumed == true)
        #expect(house.session.fronts.map(\.info.client) == ["visitor", "visitor"])
        front.close()
        await house.end()
    }

    @Test func `a front that attaches in the middle of a swap is shown what the others show`()
        async throws
    {
        let house = await House()
        let room = await house.furnishLeft()
        await room.interactor.presenter.count(3)
        let first = try await house.attach()
        let hall = house.hall
        var second: Visitor?
        await hall.transition {
            await hall.detach(hall.left)
            do { second = try await house.attach() } catch { Issue.record("\(error)") }
            await hall.attach(hall.right) { RoomRouter() }
        }
        let visitor = try #require(second)
        for front in [first, visitor] {
            await front.journal.wait(for: "unmount 2; mount 3 under 1 in right")
        }
        #expect(
            visitor.lines == [
                "attached to house", "snapshot: mount 1; mount 2 under 1 in left, count(3)",
                "unmount 2; mount 3 under 1 in right",
            ])
        await house.end()
    }

    @Test func `what another router takes away does not hide what a swap will take away`()
        async throws
    {
        let house = await House()
        let hall = house.hall
        _ = await house.furnishLeft()
        let room = RoomRouter()
        await hall.attach(hall.right) { room }
        await room.attach(room.left) { RoomRouter() }
        let visitor = try await house.attach()
        await hall.transition {
            await hall.detach(hall.left)
            await room.detach(room.left)
        }
        await visitor.journal.wait(for: "unmount 2")
        #expect(visitor.lines.suffix(2) == ["unmount 4", "unmount 2"])
        await house.end()
    }

    @Test func `what fronts that have left have measured is counted on`() async throws {
        let house = await House()
        func calls() async -> UInt64? {
            let row = await house.session.figures().rows.first { $0.method == "double(_:)" }
            return row?.fronts?.calls
        }
        _ = await house.session.figures()
        for count in 1...UInt64(3) {
            let visitor = try await house.attach()
            // From here on it measures.
            _ = await house.session.figures()
            #expect(try await visitor.room(1).double(2) == 4)
            #expect(await calls() == count)
            visitor.front.detach()
            await visitor.waitForEnd()
            #expect(await settles { house.session.fronts.isEmpty })
        }
        #expect(await calls() == 3)
        await house.end()
    }
}
