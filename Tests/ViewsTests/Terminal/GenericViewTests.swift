// GenericViewTests: a feature without a view: its states, its events, its effects, its questions.

import NapkinCoding
import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinFront
@testable import NapkinTerminal

@Suite struct GenericViewTests {
    private struct Item: Encodable {
        var name: String
        var stage: String
    }

    private struct Board: Encodable {
        var title: String
        var items: [Item]
    }

    @Test(arguments: goldenSizes)
    func `states are a tree that says what has just changed`(size: ScreenSize) throws {
        let golden = Golden("states", size)
        let stage = Kitchen.stage(size)
        golden.take("nothing presented", stage)
        try stage.present(1, "present(summary:)", "2 SMOKING · 肉")
        var board = Board(title: "Pit", items: [Item(name: "Brisket", stage: "smoking")])
        try stage.present(1, "present(board:)", board)
        golden.take("two states", stage)
        #expect(stage.later.isEmpty)
        board.items[0].stage = "resting"
        try stage.present(1, "present(board:)", board)
        golden.take("a stage has changed", stage)
        #expect(stage.later.count == 1)
        stage.wait()
        golden.take("a while later", stage)
        #expect(!stage.text.contains("*"))
        board.items += (1...9).map { Item(name: "Rib \($0)", stage: "lighting") }
        try stage.present(1, "present(board:)", board)
        golden.take("large: folded, and still marked", stage)
        stage.focus("states")
        stage.press(.down, .right)
        golden.take("unfolded by hand", stage)
        stage.press(.left)
        #expect(!stage.text.contains("10 items"))
        try golden.check()
    }

    @Test func `a struct in a list is one line, which unfolds`() throws {
        let stage = Kitchen.stage()
        stage.draw()
        struct Cut: Encodable {
            var name: String
            var degrees: Int
            var tags: [String] = []
            var note: String?
        }
        func present(_ cuts: [Cut]) throws {
            try stage.present(1, "present(board:)", cuts)
            stage.draw()
        }
        var cuts = (1...7).map { Cut(name: "Rib \($0)", degrees: 60 + $0) }
        try present(cuts)
        #expect(stage.text.contains("▾ Board  7 items"))
        #expect(stage.text.contains("  ▸ 0  name: Rib 1, degrees: 61, tags: []  "))
        // Only the field is marked that has changed, and all of what is new.
        cuts[0].degrees = 62
        cuts[1].tags = ["hot", "long"]
        cuts[2].note = "wrapped"
        try present(cuts)
        #expect(stage.text.contains("▸ 0  name: Rib 1, degrees: *62*, tags: []  "))
        #expect(stage.text.contains("▸ 1  name: Rib 2, degrees: 62, tags: *2 items*  "))
        #expect(stage.text.contains("tags: [], note: *wrapped*  "))
        stage.focus("states")
        stage.press(.down, .right)
        #expect(stage.text.contains("«  ▾ 0  3 fields»"))
        #expect(stage.text.contains("name: \"Rib 1\""))
        stage.press(.left)
        #expect(!stage.text.contains("name: \"Rib 1\""))
        // A list of more structs than lines is folded, as before.
        try present(cuts + cuts)
        #expect(stage.text.contains("▸ Board"))
        try present([cuts[0]])
        try present([cuts[0], cuts[0]])
        #expect(stage.text.contains("▸ 0  name: Rib 1, degrees: 62, tags: []  "))
        #expect(stage.text.contains("▸ 1  name: *Rib 1*, degrees: *62*, tags: *[]*  "))
    }

    @Test(arguments: goldenSizes)
    func `events are a menu, effects a log with the time of day`(size: ScreenSize) throws {
        let golden = Golden("events", size)
        let stage = Kitchen.stage(size)
        let node = try #require(stage.mounted.tree.node(1))
        func flash(_ text: String, _ time: String) throws {
            let payload = try Payload { (writer) throws(CBORError) in try writer.write(text) }
            stage.session.pages.generic(of: node)
                .add(effect: MethodID(key: "flash(_:)"), payload, at: time)
        }
        try flash("Brisket", "14:05:09")
        try flash("肉", "14:05:10")
        golden.take("menu and log", stage)
        stage.press(.character("1"))
        #expect(stage.sent.map(\.method) == ["didTapRing()"])
        #expect(stage.sent[0].payload == "null")
        stage.press(.down, .enter)
        #expect(stage.sent.map(\.method) == ["didTapRing()", "didTapClose()"])
        golden.take("the second one chosen", stage)
        for number in 0..<300 { try flash("\(number)", "14:06:00") }
        stage.press(.tab)
        golden.take("the log follows its end", stage)
        try golden.check()
    }

    @Test func `the digits of events without arguments stay the same`() {
        let stage = Kitchen.stage()
        stage.draw()
        #expect(stage.text.contains("1 Ring  didTapRing()"))
        #expect(stage.text.contains("2 Close  didTapClose()"))
        #expect(stage.text.contains("3 Order …  didOrder(order:)"))
        let composer = PageComposer(send: { _, _, _ in }, redraw: {})
        composer.schemas = [Kitchen.schema]
        let plain = composer.compose(stage.mounted.tree.root, width: 80, height: 24, isLinear: true)
        #expect(plain.keys.map(\.hint.text) == ["[1] Ring", "[2] Close"])
    }

    @Test(arguments: goldenSizes)
    func `a question is a dialog made for its answer`(size: ScreenSize) throws {
        let golden = Golden("asks", size)
        let stage = Kitchen.stage(size)
        try stage.ask(1, 1, "confirm(_:)", "Empty the kitchen, and everything that is in it?")
        golden.take("yes or no", stage)
        stage.press(.tab, .enter)
        try stage.ask(2, 1, "choose(_:)", "How?")
        golden.take("one of the values", stage)
        stage.press(.down, .enter)
        try stage.ask(3, 1, "pay(_:)", "How will it be paid?")
        golden.take("a form", stage)
        stage.press(.right, .tab)
        stage.type("12x")
        stage.press(.enter)
        golden.take("with what is wrong", stage)
        stage.press(.backspace, .enter)
        #expect(stage.answers.map(\.ask) == [1, 2, 3])
        #expect(
            stage.answers.map(\.payload) == ["true", "\"well-done\"", #"{"card":{"number":12}}"#])
        try golden.check()
    }

    @Test func `answers are of the type that is wanted`() throws {
        let stage = Kitchen.stage()
        try stage.ask(1, 1, "level(_:)", "How high?")
        stage.press(.down, .enter)
        try stage.ask(2, 1, "name(_:)", "Who?")
        stage.focus("Answer")
        stage.press(.enter)
        try stage.ask(3, 1, "name(_:)", "Who?")
        stage.press(.enter, .tab)
        stage.type("Joe")
        stage.press(.enter)
        try stage.ask(4, 1, "unknown(_:)", "What?")
        stage.press(.control("u"))
        stage.type("[1]")
        stage.press(.enter)
        #expect(stage.answers.map(\.payload) == ["2", "null", "\"Joe\"", "[1]"])
    }

    @Test func `a question can wait, ends elsewhere, and is the same when it is asked again`()
        throws
    {
        let stage = Kitchen.stage()
        try stage.ask(1, 1, "name(_:)", "Who?")
        stage.press(.enter, .tab)
        stage.type("Jo")
        stage.session.dialogs.connectionEnded()
        #expect(!stage.text.contains("Who?"))
        try stage.ask(1, 1, "name(_:)", "Who?")
        // What was written is still there.
        #expect(stage.text.contains("«Jo"))
        stage.press(.escape)
        #expect(!stage.text.contains("Who?"))
        #expect(stage.text.contains("[F2] 1 question"))
        try stage.ask(2, 1, "confirm(_:)", "Sure?")
        #expect(stage.text.contains("Sure?"))
        stage.session.dialogs.endAsk(2, answeredBy: "front 7")
        #expect(stage.session.notice.text?.contains("answered by front 7") == true)
        #expect(!stage.text.contains("Sure?"))
        stage.press(.function(2))
        #expect(stage.text.contains("Who?"))
        stage.session.dialogs.endAsk(1, answeredBy: nil)
        #expect(!stage.text.contains("question"))
        #expect(stage.answers.isEmpty)
    }

    // MARK: - Limits

    @Test func `a mark lasts its own time, whatever has changed before it`() throws {
        let stage = Kitchen.stage()
        try stage.present(1, "present(summary:)", "1")
        try stage.present(1, "present(board:)", "1")
        stage.draw()
        try stage.present(1, "present(summary:)", "2")
        stage.draw()
        try stage.present(1, "present(board:)", "2")
        stage.draw()
        #expect(stage.later.count == 2)
        stage.later[0]()
        #expect(stage.text.contains("Summary: \"2\"") && stage.text.contains("Board: *\"2\"*"))
        stage.later[1]()
        #expect(!stage.text.contains("*"))
    }

    @Test func `of a long text and of many items a part is shown, and how much is not`() throws {
        let stage = Kitchen.stage()
        let long = String(repeating: "x", count: 100_000)
        let node = try #require(stage.mounted.tree.node(1))
        let payload = try Payload { (writer) throws(CBORError) in try writer.write(long) }
        let model = stage.session.pages.generic(of: node)
        model.add(effect: MethodID(key: "flash(_:)"), payload, at: "14:05:09")
        try stage.present(1, "present(summary:)", long)
        try stage.present(1, "present(board:)", Array(0..<100_000))
        stage.draw()
        #expect(model.effects[0].text.utf8.count < 2000)
        #expect(model.effects[0].text.hasSuffix("… 100002 bytes"))
        let rows = model.tree.rows
        #expect(rows.map(\.text.utf8.count).max() ?? 0 < 2000)
        let board = try #require(rows.last)
        #expect(board.isFolded == true && board.text == "100000 items")
        model.tree.turn(board.path)
        #expect(model.tree.rows.count < 20_000)
        #expect(model.tree.rows.last?.line.text.contains("… 90000 more") == true)
    }

    @Test func `an item of a log keeps the selection when older ones are dropped`() throws {
        let stage = Kitchen.stage()
        let node = try #require(stage.mounted.tree.node(1))
        var count: UInt64 = 0
        func print(_ items: Int) throws {
            var writer = CBORWriter()
            writer.writeArrayHeader(items + 1)
            writer.writeUInt(0)
            for number in count..<count + UInt64(items) { writer.writeString("item \(number)") }
            try writer.copyBytes().withUnsafeBytes {
                _ = node.logs.received(
                    try LogItems(first: count, payload: $0), of: MethodID(key: "print(_:)"))
            }
            count += UInt64(items)
        }
        try print(500)
        stage.focus("log \(MethodID(key: "print(_:)").rawValue)")
        stage.press(.up, .up)
        #expect(stage.text.contains("«\"item 497\"»"))
        try print(100)
        #expect(stage.text.contains("«\"item 497\"»"))
        #expect(!stage.text.contains("item 599"))
    }
}
