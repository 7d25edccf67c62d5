// ChildListTests: any number of children of one feature, each with a key.

import NapkinCore
import NapkinTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(10)))
struct ChildListTests {
    let journal = Journal()
    let stage: FakeStage
    let root: ContainerRouter

    init() async { (stage, root) = await launched(ContainerRouter(journal), journal) }

    private func attach(_ key: Int) async {
        await root.attach(root.photos[key]) { root.page("\(key)") }
    }

    @Test("R13: a list keeps the order of attachment, and its name travels with each child")
    func keepsTheOrder() async {
        for key in [3, 1, 2] { await attach(key) }
        await root.detach(root.photos[3])
        await attach(3)
        #expect(root.photos.keys == [1, 2, 3])
        #expect(root.names == ["1", "2", "3"])
        #expect(ContainerRouter.names(root.photos.children) == ["1", "2", "3"])
        #expect(
            stage.batches.dropFirst() == [
                "mount 2 under 1 in photos", "mount 3 under 1 in photos",
                "mount 4 under 1 in photos", "unmount 2", "mount 5 under 1 in photos",
            ])
    }

    @Test("R10: 100 concurrent requests to attach one key make one child")
    func attachesOnce() async {
        let root = self.root
        let requests = (0..<100).map { number in
            Task.detached { await Self.attach(number % 2, to: root) }
        }
        for request in requests { await request.value }
        #expect(Set(root.photos.keys) == [0, 1])
        #expect(journal.count(of: "0 built") == 1)
        #expect(journal.count(of: "1 built") == 1)
    }

    private static func attach(_ key: Int, to root: ContainerRouter) async {
        await root.attach(root.photos[key]) {
            await Task.yield()
            return root.page("\(key)")
        }
    }

    @Test("detaching a key that has no child does nothing")
    func detachesNothing() async {
        await attach(1)
        await root.detach(root.photos[2])
        #expect(root.photos.keys == [1])
        #expect(root.photos.contains(1))
        #expect(!root.photos.contains(2))
    }

    @Test("R9: detached by hand, a child leaves its key free, and its slot")
    func followsTheRouter() async throws {
        await attach(1)
        let child = try #require(root.photos[1].child)
        await root.detachChild(child)
        #expect(root.photos.isEmpty)
        #expect(root.photos[1].child == nil)
        await attach(1)
        #expect(root.photos.keys == [1])
    }

    @Test("keys that were only looked at leave nothing behind")
    func forgetsLooks() async {
        await attach(0)
        weak var looked: ChildSlot<Page>?
        for key in 1...1000 { looked = root.photos[key] }
        #expect(looked == nil)
        #expect(root.photos.contains(0))
        #expect(root.photos[0] === root.photos[0])
        let entries = Mirror(reflecting: root.photos).children.first { $0.label == "entries" }
        let count = entries.map { Mirror(reflecting: $0.value).children.count } ?? 0
        #expect((1...16).contains(count))
    }
}
