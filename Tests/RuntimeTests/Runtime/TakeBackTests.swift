// TakeBackTests: what a handler that throws takes back, on its way to a front.
//
// Isolation  @MainActor (main queue, loop embedded).

import NapkinCore
import NapkinLedger
import Testing

@testable import NapkinRuntime

extension RuntimeTests {
    @Test func `U2: a full log has its oldest item again when the newest is taken back`()
        async throws
    {
        let setup = try await LedgerSetup()
        await setup.interactor.teach("fill") { interactor in
            interactor.state.sum = 1
            for number in 0..<128 { await interactor.presenter.note(number) }
        }
        await setup.interactor.teach("spoil") { interactor in
            interactor.state.sum = 2
            await interactor.presenter.note(128)
            throw Mishap(description: "spoilt")
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let node = try #require(setup.router.core.node)
        let listener = setup.listener(viewer, node.id)
        #expect(try await listener.act("fill") == 1)
        let method = try #require(node.logs.entries.first?.method)
        await #expect(throws: RemoteFault.self) { try await listener.act("spoil") }
        let window = try #require(node.logs[method])
        #expect(window.first == 0 && window.next == 128)
        // And a handler that ends well leaves no more than the window has.
        await setup.interactor.teach("note") { interactor in
            interactor.state.sum = 3
            for number in 0..<40 { await interactor.presenter.note(number) }
        }
        #expect(try await listener.act("note") == 3)
        let later = try #require(node.logs[method])
        #expect(later.count == 128 && later.next == 168)
        await setup.end()
    }

    @Test func `U2: what is taken back did not go out with the mount of its node`() async throws {
        let setup = try await LedgerSetup()
        let router = setup.router
        await setup.interactor.teach("lay") { interactor in
            await router.lay { interactor in
                await interactor.presenter.present(sum: 0)
                // The slip is recorded before it changes.
                await Task.yield()
                interactor.state.sum = 1
                await interactor.presenter.present(title: "never")
            }
            throw Mishap(description: "spoilt")
        }
        let viewer = try setup.attach()
        await viewer.waitForSnapshot()
        let root = try #require(router.core.node?.id)
        await #expect(throws: RemoteFault.self) {
            try await setup.listener(viewer, root).act("lay")
        }
        let child = try #require(router.children.first?.core.node?.id)
        #expect(viewer.state("present(sum:)", of: child) != nil)
        #expect(viewer.state("present(title:)", of: child) == nil, "\(viewer.lines)")
        await setup.end()
    }
}
