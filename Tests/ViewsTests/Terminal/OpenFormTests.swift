// OpenFormTests: what becomes of an open form when its node, or its event, is lost.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

@Suite struct OpenFormTests {
    private let stage = Kitchen.stage()

    /// `didRename(from:to:)` with `a` and `肉`, the cursor before the second text.
    private func fillIn() {
        stage.press(.character("4"))
        stage.type("a")
        stage.press(.tab)
        stage.type("肉")
        stage.press(.left)
        #expect(stage.text.contains("─ Rename ─"))
    }

    private func restart(_ mount: () -> Void) {
        stage.session.epochChanged()
        // Drawn before the tree of the other worker is there.
        stage.draw()
        stage.mounted.replaceAll(after: 10, mount)
    }

    @Test func `keys that come at once open a form, fill it in and send it`() {
        stage.draw()
        for key in [.character("4"), .character("1"), .tab, .character("2"), .enter] as [Key] {
            stage.screen.handle(.key(key))
        }
        #expect(stage.sent.map(\.payload) == [#"["1","2"]"#])
    }

    @Test func `a form is there in another worker's tree, and sends to the node that is there`() {
        fillIn()
        restart { stage.mounted.mount(Kitchen.id) }
        #expect(stage.text.contains("─ Rename ─"))
        #expect(stage.focused == "to")
        stage.type("b")
        stage.press(.enter)
        #expect(stage.sent.map(\.node) == [11])
        #expect(stage.sent.map(\.payload) == [#"["a","b肉"]"#])
    }

    @Test func `what is written as JSON is there, too`() {
        stage.press(.character("4"), .control("r"), .control("u"))
        stage.paste(#"["c","d"]"#)
        restart { stage.mounted.mount(Kitchen.id) }
        stage.press(.enter)
        #expect(stage.sent.map(\.payload) == [#"["c","d"]"#])
        #expect(stage.sent.map(\.node) == [11])
    }

    @Test func `a form follows its node where that has another number after a reconnect`() {
        fillIn()
        stage.mounted.replaceAll(after: 4) { stage.mounted.mount(Kitchen.id) }
        stage.press(.enter)
        #expect(stage.sent.map(\.node) == [5])
    }

    @Test func `another feature that has the node's number does not get the event`() {
        fillIn()
        stage.session.epochChanged()
        stage.mounted.replaceAll { stage.mounted.mount("smoke.cellar") }
        #expect(!stage.text.contains("─ Rename ─"))
        #expect(
            stage.session.notice.text
                == "Rename cannot be sent any more: smoke.kitchen is gone, or has changed")
        stage.press(.enter)
        #expect(stage.sent.isEmpty)
    }

    @Test func `a form for another contract goes, and what was said of the restart stays`() {
        fillIn()
        stage.session.notice.say("the worker was restarted")
        var schema = Kitchen.schema
        schema.listens[2] = Kitchen.event("didRename(from:to:)", ("from", "Int"), ("to", "String"))
        stage.schemas = [schema]
        restart { stage.mounted.mount(Kitchen.id) }
        #expect(!stage.text.contains("─ Rename ─"))
        #expect(
            stage.session.notice.text
                == "the worker was restarted; "
                + "Rename cannot be sent any more: smoke.kitchen is gone, or has changed")
    }

    @Test func `a form goes with its node, also when a like one comes in its place`() {
        fillIn()
        stage.mounted.unmount(1)
        stage.mounted.mount("smoke.hall")
        stage.mounted.mount(Kitchen.id, in: 2)
        #expect(!stage.text.contains("─ Rename ─"))
        #expect(stage.session.notice.text?.hasPrefix("Rename cannot be sent any more") == true)
    }

    @Test func `the form of an event that failed comes back with what was written`() {
        fillIn()
        stage.press(.enter)
        #expect(!stage.text.contains("─ Rename ─"))
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 1)
        #expect(stage.text.contains("─ Rename ─"))
        #expect(stage.focused == "to")
        stage.type("b")
        stage.press(.enter)
        #expect(stage.sent.map(\.payload) == [#"["a","肉"]"#, #"["a","b肉"]"#])
    }

    @Test func `an unknown outcome does not replace the notice that says why`() {
        let session = stage.session
        session.failed(RemoteFault(.unknown, "nobody knows"))
        #expect(session.notice.text == "nobody knows")
        session.notice.say("the worker was restarted; 1 event is in doubt")
        session.failed(RemoteFault(.unknown, "nobody knows"))
        session.failed(RemoteFault(.gone, "the view is gone"))
        #expect(session.notice.text == "the worker was restarted; 1 event is in doubt")
        session.failed(RemoteFault(.failed, "sold out"))
        #expect(session.notice.text == "sold out")
    }

    @Test func `a form does not come back for another event, nor to who has gone on`() {
        fillIn()
        stage.press(.enter)
        stage.session.dialogs.eventFailed(MethodID(key: "didTapRing()"), of: 1)
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 2)
        #expect(!stage.text.contains("─ Rename ─"))
        stage.press(.tab)
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 1)
        #expect(!stage.text.contains("─ Rename ─"))
        // What was written is not lost.
        #expect(stage.text.contains("[F2] 1 refused form"))
        stage.press(.function(2))
        #expect(stage.text.contains("─ Rename ─") && stage.text.contains("肉"))
        #expect(!stage.text.contains("[F2]"))
    }

    @Test func `a form whose event was handled is not kept`() {
        fillIn()
        stage.press(.enter)
        stage.session.dialogs.eventEnded(MethodID(key: "didRename(from:to:)"), of: 1)
        stage.press(.tab)
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 1)
        #expect(!stage.text.contains("[F2]"))
    }

    @Test func `a form that was sent does not come back in a tree without its node`() {
        fillIn()
        stage.press(.enter)
        restart { stage.mounted.mount("smoke.cellar") }
        stage.draw()
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 1)
        stage.session.dialogs.eventFailed(MethodID(key: "didRename(from:to:)"), of: 11)
        #expect(!stage.text.contains("─ Rename ─"))
    }
}
