// FeatureNodeTests: what a node knows of its place, and for how long.

import NapkinTesting
import Testing

@testable import NapkinCore

@MainActor
struct FeatureNodeTests {
    private let stage = FakeStage()
    private let parent = RemoteView<Page>()
    private let view = RemoteView<Page>()

    init() {
        parent.node.mount(on: stage, under: nil)
        view.node.mount(on: stage, under: parent.node)
    }

    @Test func `a retired node has no place`() {
        #expect(view.node.isMounted && view.node.parentID == 1)
        view.node.retire()
        #expect(!view.node.isMounted && view.node.parent == nil && view.node.parentID == 0)
        #expect(view.node.former(2)?.parent == 1)
    }

    @Test func `a node that is active again talks to no stage until it is mounted`() async {
        view.node.retire()
        view.node.revive()
        await view.presenter.present(text: "early")
        await view.presenter.flash("early")
        #expect(stage.journal.lines == [])
        await #expect(throws: RemoteFault(.gone, "page is not mounted")) {
            try await view.node.ask(PagePresentableMessage.presentText(text: "?"))
        }
        // The newest state travels with the mount.
        view.node.mount(on: stage, under: parent.node)
        #expect(view.node.states.count == 1)
        await view.presenter.present(text: "now")
        #expect(stage.journal.lines == ["state of 3"])
    }
}
