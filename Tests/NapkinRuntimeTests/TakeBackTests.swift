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
        let library = try await Library()
        await library.clerk.teach("fill") { clerk in
            clerk.state.sum = 1
            for number in 0..<128 { await clerk.presenter.note(number) }
        }
        await library.clerk.teach("spoil") { clerk in
            clerk.state.sum = 2
            await clerk.presenter.note(128)
            throw Mishap(description: "spoilt")
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let node = try #require(library.router.core.node)
        let listener = library.listener(visitor, node.id)
        #expect(try await listener.act("fill") == 1)
        let method = try #require(node.logs.entries.first?.method)
        await #expect(throws: RemoteFault.self) { try await listener.act("spoil") }
        let window = try #require(node.logs[method])
        #expect(window.first == 0 && window.next == 128)
        // And a handler that ends well leaves no more than the window has.
        await library.clerk.teach("note") { clerk in
            clerk.state.sum = 3
            for number in 0..<40 { await clerk.presenter.note(number) }
        }
        #expect(try await listener.act("note") == 3)
        let later = try #require(node.logs[method])
        #expect(later.count == 128 && later.next == 168)
        await library.end()
    }

    @Test func `U2: what is taken back did not go out with the mount of its node`() async throws {
        let library = try await Library()
        let router = library.router
        await library.clerk.teach("lay") { clerk in
            await router.lay { clerk in
                await clerk.presenter.present(sum: 0)
                // The slip is recorded before it changes.
                await Task.yield()
                clerk.state.sum = 1
                await clerk.presenter.present(title: "never")
            }
            throw Mishap(description: "spoilt")
        }
        let visitor = try library.attach()
        await visitor.waitForSnapshot()
        let root = try #require(router.core.node?.id)
        await #expect(throws: RemoteFault.self) {
            try await library.listener(visitor, root).act("lay")
        }
        let child = try #require(router.children.first?.core.node?.id)
        #expect(visitor.state("present(sum:)", of: child) != nil)
        #expect(visitor.state("present(title:)", of: child) == nil, "\(visitor.lines)")
        await library.end()
    }
}
