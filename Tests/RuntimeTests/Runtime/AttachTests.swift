// AttachTests: what a front is shown, from its attachment on.

import NapkinCore
import NapkinProtocol
import NapkinTesting
import TestSupport
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `a front that attaches during a transition sees what stood before it`()
        async throws
    {
        let setup = await SessionSetup()
        let panel = await setup.attachLeft()
        let root = setup.root
        let (reached, latch) = (Latch(), Latch())
        let transition = dispatch {
            await root.transition {
                await root.detach(root.left)
                // The same router again: its node has another number, which no front knows yet.
                await root.attach(root.left) { panel }
                reached.open()
                await latch.wait()
            }
        }
        await reached.wait()
        let viewer = try await setup.attach()
        #expect(viewer.lines.last == "snapshot: mount 1; mount 2 under 1 in left")
        await panel.interactor.presenter.count(5)
        latch.open()
        await transition.value
        await viewer.journal.wait(
            for: "unmount 2; mount 3 under 1 in left, count(5)")
        await setup.end()
    }

    @Test func `a front is told who it is, and whether it came back to the same tree`()
        async throws
    {
        let setup = await SessionSetup()
        let front = FrontSession(client: "visitor")
        let first = try await setup.attach(Attach(wantsSchema: true), as: front)
        #expect(first.front.schemas == [Panel.schema])
        let expected = Attached(
            app: "house", session: "house", front: 1, epoch: SessionSetup.epoch,
            window: Limits.eventWindow, isResumed: false)
        #expect(first.attached == expected)
        let second = try await setup.attach()
        #expect(second.attached?.front == 2)
        #expect(second.attached?.isResumed == false)
        #expect(second.front.schemas.isEmpty)
        first.front.detach()
        let third = try await setup.attach(as: front)
        #expect(third.attached?.front == 3)
        #expect(third.attached?.isResumed == false)
        setup.session.fronts.last?.link?.close()
        await third.waitForEnd()
        let again = try await setup.attach(as: front)
        #expect(again.attached?.front == 3)
        #expect(again.attached?.isResumed == true)
        #expect(setup.session.fronts.map(\.info.client) == ["visitor", "visitor"])
        front.close()
        await setup.end()
    }

    @Test func `what another router takes away does not hide what a swap will take away`()
        async throws
    {
        let setup = await SessionSetup()
        let root = setup.root
        _ = await setup.attachLeft()
        let panel = PanelRouter()
        await root.attach(root.right) { panel }
        await panel.attach(panel.left) { PanelRouter() }
        let viewer = try await setup.attach()
        await root.transition {
            await root.detach(root.left)
            await panel.detach(panel.left)
        }
        await viewer.journal.wait(for: "unmount 2")
        #expect(viewer.lines.suffix(2) == ["unmount 4", "unmount 2"])
        await setup.end()
    }

    @Test func `what fronts that have left have measured is counted on`() async throws {
        let setup = await SessionSetup()
        func calls() async -> UInt64? {
            let row = await setup.session.figures().rows.first { $0.method == "double(_:)" }
            return row?.fronts?.calls
        }
        _ = await setup.session.figures()
        for count in 1...UInt64(3) {
            let viewer = try await setup.attach()
            // From here on it measures.
            _ = await setup.session.figures()
            #expect(try await viewer.panel(1).double(2) == 4)
            #expect(await calls() == count)
            viewer.front.detach()
            await viewer.waitForEnd()
            #expect(await settles { setup.session.fronts.isEmpty })
        }
        #expect(await calls() == 3)
        await setup.end()
    }
}
