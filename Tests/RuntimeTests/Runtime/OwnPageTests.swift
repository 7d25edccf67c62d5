// OwnPageTests: pages of one front alone: who reaches them, and fronts that come and go meanwhile.

import NapkinCore
import NapkinProtocol
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    private static let own = "own"

    /// The root has a page for each front from now on.
    private func openPages(
        _ setup: SessionSetup,
        _ build: @escaping @MainActor (AttachedFront) async -> any Routing = { _ in
            PanelRouter()
        }
    ) async {
        await setup.root.attach(FrontSlot<Panel>(Self.own)) { _, front in await build(front) }
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
        let setup = await SessionSetup()
        await openPages(setup)
        let (first, second) = (try await setup.attach(), try await setup.attach())
        #expect(try await first.panel(2).double(4) == 8)
        #expect(await refusal { try await second.panel(2).double(4) } == .gone)
        #expect(try await second.panel(3).double(4) == 8)
        let reader = try await setup.attach(Attach(isReadOnly: true))
        #expect(await refusal { try await reader.panel(3).double(4) } == .refused)
        #expect(await refusal { try await reader.panel(1).double(4) } == .refused)
        #expect(try await reader.panel(4).double(4) == 8)
        await setup.end()
    }

    @Test func `what is presented on a page crosses to its front and its mirrors alone`()
        async throws
    {
        let setup = await SessionSetup()
        var panels: [UInt64: PanelRouter] = [:]
        await openPages(setup) { front in
            let panel = PanelRouter()
            panels[front.id] = panel
            return panel
        }
        let first = try await setup.attach()
        let second = try await setup.attach(Attach(declinesAsks: true))
        let mirror = try await setup.attach(Attach(mirrors: 1))
        let third = try await setup.attach()
        let presenter = try #require(panels[1]?.interactor.presenter)
        await presenter.tell("mine")
        await presenter.flash("now")
        let asking = Task.immediate { try await presenter.confirm("sure?") }
        #expect(await settles { !first.asked.isEmpty })
        // Who was not asked cannot answer.
        try third.answer(1, false)
        _ = try await third.panel(4).double(1)
        try first.answer(1, true)
        #expect(try await asking.value)
        _ = try await second.panel(1).double(1)
        #expect(panels.keys.sorted() == [1, 2, 4])
        #expect(first.state("tell(_:)", of: 2) != nil)
        #expect(mirror.state("tell(_:)", of: 2) != nil)
        #expect(second.state("tell(_:)", of: 2) == nil)
        #expect(second.asked.isEmpty && mirror.asked.isEmpty)
        #expect(setup.session.presence.value.map(\.isAskable) == [true, false, false, true])
        #expect(setup.session.presence.value.map(\.isReadOnly) == [false, false, true, false])
        // Who declines questions is not asked on its own page either.
        let other = try #require(panels[2]?.interactor.presenter)
        await #expect(throws: RemoteFault.self) { try await other.confirm("you?") }
        await setup.end()
    }

    @Test func `a front that leaves while its page is built finds it when it comes back`()
        async throws
    {
        let setup = await SessionSetup()
        let (began, mayEnd) = (Latch(), Latch())
        var built = 0
        await openPages(setup) { _ in
            built += 1
            began.open()
            await mayEnd.wait()
            return PanelRouter()
        }
        let front = FrontSession(client: "visitor")
        let early = try setup.connect(as: front)
        await began.wait()
        #expect(setup.session.fronts.isEmpty)
        setup.session.seats[1]?.link?.close()
        await early.waitForEnd()
        #expect(early.attached == nil)
        let back = try setup.connect(as: front)
        mayEnd.open()
        await back.waitForSnapshot()
        // It was never told its number, and is another front.
        #expect(back.attached?.front == 2)
        #expect(built == 2)
        #expect(try await back.panel(3).double(2) == 4)
        #expect(setup.session.detach(1) == 1)
        #expect(await settles { setup.session.nodeCount == 2 })
        front.close()
        await setup.end()
    }

    @Test func `a session that ends while a page is built ends for that front, too`() async throws {
        let setup = await SessionSetup()
        let (began, mayEnd) = (Latch(), Latch())
        await openPages(setup) { _ in
            began.open()
            await mayEnd.wait()
            return PanelRouter()
        }
        let early = try setup.connect()
        await began.wait()
        let ending = Task.immediate { await setup.end() }
        await early.waitForEnd()
        #expect(early.lines.last?.contains("the test is over") == true)
        mayEnd.open()
        await ending.value
    }

    @Test func `nobody mirrors a stranger or a mirror, and a mirror ends with its front`()
        async throws
    {
        let setup = await SessionSetup()
        await openPages(setup)
        let stranger = try setup.connect(Attach(mirrors: 9))
        await stranger.waitForEnd()
        #expect(stranger.lines.last?.contains("has no front 9 that could be mirrored") == true)
        let first = try await setup.attach()
        let mirror = try await setup.attach(Attach(mirrors: 1))
        let image = try setup.connect(Attach(mirrors: 2))
        await image.waitForEnd()
        #expect(image.lines.last?.contains("mirrors front 1 itself") == true)
        #expect(setup.session.nodeCount == 2)
        first.front.detach()
        await mirror.waitForEnd()
        #expect(mirror.lines.last?.contains("which was mirrored, has left") == true)
        #expect(await settles { setup.session.nodeCount == 1 })
        await setup.end()
    }

    @Test func `a page in a place of its own cannot be dismissed`() async throws {
        let setup = await SessionSetup()
        let pages = FrontSlot<Panel>(Self.own, presentation: .push)
        await setup.root.attach(pages) { _, _ in PanelRouter() }
        let front = try await setup.attach()
        await #expect(throws: RemoteFault.self) { try await front.port(2).dismiss() }
        #expect(setup.session.nodeCount == 2)
        await setup.end()
    }
}
