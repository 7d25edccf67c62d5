// SessionScreenTests: what a screen says of its session, whoever paints it.

import NapkinCore
import NapkinFront
import NapkinProtocol
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct SessionScreenTests {
    private let stage = Kitchen.stage()
    private var session: SessionScreen { stage.session }
    private var front: Front { stage.session.front }

    private func attach(epoch: UInt32, takenBack: UInt64? = nil) {
        session.front(
            front,
            attached: Attached(
                app: "smoke", session: "lunch", front: 1, epoch: epoch, window: 1,
                isResumed: false, takenBack: takenBack))
    }

    @Test func `a lost connection says since when, why, and when the next try is`() {
        session.status.fronts = 2
        session.front(front, disconnected: "gone")
        #expect(session.status.state == "disconnected since 14:05:09, retrying (gone)")
        #expect(session.status.fronts == nil)
        let error = FrontError(.disconnected, "nobody")
        session.front(front, retriesAfter: .milliseconds(2100), because: error)
        #expect(session.status.state == "disconnected since 14:05:09, next try in 3 s (nobody)")
        session.front(front, resumedLosing: 0)
        #expect(session.status.state == "connected" && session.notice.text == nil)
    }

    @Test func `a restart is said until the connection is lost again`() {
        attach(epoch: 1)
        #expect(session.notice.text == nil)
        attach(epoch: 2)
        session.front(front, resumedLosing: 2)
        let news = "the worker was restarted; the session starts over; 2 events are in doubt"
        #expect(session.notice.text == news)
        session.front(front, disconnected: "gone")
        #expect(session.notice.text == nil)
    }

    @Test func `a question that a view leaves is asked here, until the line is lost`() throws {
        stage.mounted.mount("smoke.view", in: 1, view: Words("seen"))
        let node = try #require(front.tree.node(2))
        for id in [1, 2] as [UInt64] {
            session.front(front, asks: id, MethodID(key: "ask()"), of: node, Payload())
        }
        #expect(session.dialogs.shown == nil)
        session.front(front, viewLeavesAsk: 1)
        #expect(session.dialogs.shown != nil)
        session.front(front, disconnected: "gone")
        session.front(front, viewLeavesAsk: 2)
        #expect(session.dialogs.shown == nil)
    }

    @Test func `an event that failed says why, and one that waited for a person has no time`() {
        let sold = RemoteFault(.failed, "sold out")
        session.front(front, failedToSend: MethodID(key: "didTapRing()"), to: 1, sold)
        #expect(session.notice.text == "sold out")
        session.front(front, eventTook: .milliseconds(3))
        session.front(front, askEnded: 1, answeredBy: nil)
        session.front(front, eventTook: .seconds(60))
        #expect(session.status.roundTrip == .milliseconds(3))
    }

    @Test func `what was set aside is one calm line, with a key for more`() {
        let fault = RemoteFault(.quarantined, "Something went wrong. Receipt 12", receipt: 12)
        session.front(front, setAside: fault)
        // Its sender may say nothing, or the same.
        session.failed(fault)
        #expect(session.notice.text == fault.message)
        #expect(stage.text.contains("[F3] Receipt 12"))
        stage.press(.function(3))
        #expect(session.notice.text == nil)
        #expect(stage.text.contains("─ Receipt 12 ─"))
        #expect(stage.text.contains("`napkin-client crash show smoke 12`"))
        #expect(stage.text.contains("`napkin-client crash release smoke 12`"))
        stage.press(.escape)
        #expect(!stage.text.contains("Receipt"))
    }

    @Test(arguments: [nil, 7] as [UInt32?])
    func `a session that was taken back says so once, with the way to what was newer`(
        former: UInt32?
    ) {
        if let former { attach(epoch: former) }
        attach(epoch: 8, takenBack: 12)
        #expect(
            session.notice.text
                == "newer changes were set aside (receipt 12); you are back before them")
        stage.press(.function(3))
        #expect(stage.text.contains("`napkin-client crash show smoke 12`"))
        #expect(stage.text.contains("`napkin-client ledger import`"))
        stage.press(.escape)
        attach(epoch: 8, takenBack: 12)
        #expect(session.notice.text == nil)
    }

    @Test(
        arguments: [
            // A restored session presents in another order.
            ([["t()": 2, "s()": 1]], true),
            ([], false), ([["s()": 1, "t()": 2], [:]], false),
            ([["s()": 1]], false), ([["s()": 2, "t()": 2]], false),
            ([["s()": 1, "t()": 2, "u()": 1]], false), ([["s()": 1, "u()": 2]], false),
        ] as [([KeyValuePairs<String, UInt8>], Bool)])
    func `a tree shows the same as another one, or not`(
        children: [KeyValuePairs<String, UInt8>], isShown: Bool
    ) throws {
        func tree(_ children: [KeyValuePairs<String, UInt8>]) throws -> FrontNode {
            let tree = MountedTree()
            tree.mount("a.a")
            for states in children {
                tree.mount("a.b", in: 1, states: states.map { ($0, [$1]) })
            }
            return try #require(tree.tree.root)
        }
        #expect(try tree(children).isShown(like: tree([["s()": 1, "t()": 2]])) == isShown)
    }

    @Test func `the newest receipt counts, until a person does something else`() {
        for number in [12, 13] as [UInt64] {
            session.front(
                front, setAside: RemoteFault(.quarantined, "Receipt \(number)", receipt: number))
        }
        #expect(stage.text.contains("[F3] Receipt 13"))
        stage.press(.home)
        #expect(!stage.text.contains("Receipt"))
    }
}
