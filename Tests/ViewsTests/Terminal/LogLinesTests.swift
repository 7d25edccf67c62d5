// LogLinesTests: the lines of a log that a view keeps, and how it follows them.

import NapkinCore
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct LogLinesTests {
    private static let log = MethodID(rawValue: 1)

    private func gap(_ items: Range<UInt64>, oldest: UInt64) -> LogGap {
        LogGap(log: Self.log, items: items, oldest: oldest)
    }

    @Test func `a gap before the first line can be read, and a later one is a line`() {
        var lines = LogLines()
        lines.skipped(gap(0..<4, oldest: 1))
        for line in ["five", "six"] { lines.append(line) }
        lines.skipped(gap(6..<9, oldest: 9))
        lines.append("ten")
        #expect(Array(lines) == ["five", "six", "… 3 lines …", "ten"])
        #expect(lines.earlier?.readable == 3)
        lines.prepend(["three", "four"], before: gap(0..<2, oldest: 1))
        #expect(lines.earlier?.readable == 1 && lines.first == -2)
        lines.prepend(["two"], before: gap(0..<1, oldest: 1))
        #expect(lines.earlier == nil && lines.first == -3)
        #expect(Array(lines.prefix(4)) == ["two", "three", "four", "five"])
    }

    @Test func `a gap of which nothing is kept is not offered`() {
        var lines = LogLines()
        lines.skipped(gap(0..<4, oldest: 4))
        #expect(lines.earlier == nil && lines.isEmpty)
    }

    @Test func `the oldest lines are dropped, and numbers stay`() {
        var lines = LogLines(keeping: 100)
        lines.skipped(gap(0..<1, oldest: 0))
        for number in 0..<1000 { lines.append("\(number)") }
        #expect((100...110).contains(lines.count) && lines.last == "999")
        #expect(lines.first == 1000 - lines.count && lines[0] == "\(lines.first)")
        #expect(lines.earlier == nil)
    }

    @Test func `a log holds or follows as its view wants, and as a person moves`() {
        let (lines, follows) = (Kept((1...60).map { "line \($0)." }), Kept(true))
        let stage = Stage(goldenSizes[0])
        stage.mounted.mount(
            "a.view", view: Made { Log(lines.value, follows: follows.binding) })
        func sees(_ text: String) -> Bool { stage.text.contains(text) }
        #expect(sees("line 60."))
        follows.value = false
        lines.value.append("line 61.")
        #expect(!sees("line 61.") && sees("line 60."))
        follows.value = true
        #expect(sees("line 61."))
        stage.press(.up)
        _ = stage.text
        #expect(!follows.value)
        lines.value.append("line 62.")
        #expect(!sees("line 62."))
        stage.press(.end)
        #expect(sees("line 62.") && follows.value)
        lines.value.append("line 63.")
        #expect(sees("line 63."))
    }

    @Test func `earlier lines are offered while there are some`() {
        let lines = Kept(LogLines())
        lines.value.skipped(gap(0..<4, oldest: 0))
        lines.value.append("five")
        let stage = Stage(goldenSizes[0])
        stage.mounted.mount(
            "a.view",
            view: Made {
                Log(lines.value) { lines.value.prepend(["four"], before: nil) }
            })
        #expect(stage.text.contains("4 earlier lines"))
        stage.press("e")
        #expect(stage.text.contains("four") && !stage.text.contains("earlier lines"))
    }

    @Test func `a label is the name of the field beside it, and labels have one width`() {
        let text = Kept("")
        let stage = Stage(goldenSizes[0])
        stage.mounted.mount(
            "a.view",
            view: Made {
                Form(labelWidth: 8) {
                    LabeledContent("Name") { TextField("anything", text: text.binding) }
                    LabeledContent("Queue") { Text("builds") }
                }
            })
        let rows = stage.text.split(separator: "\n").filter { $0.contains("builds") }
        #expect(rows.first?.contains("Queue     builds") == true)
    }
}
