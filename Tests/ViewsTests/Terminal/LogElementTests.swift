// LogElementTests: logs, their colours and searches; how much of a long list is made.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct LogElementTests {
    // MARK: - Log

    @Test(arguments: goldenSizes)
    func `a log follows its end, until a person moves up`(size: ScreenSize) throws {
        let golden = Golden("log", size)
        let lines = Kept((1...60).map { "line \($0) \u{1B}[31mred\u{1B}[0m" })
        let stage = Stage(size) { Log(lines.value) }
        golden.take("its end", stage)
        lines.value += ["a newer one", "the newest"]
        golden.take("what is new is seen", stage)
        stage.press(.up)
        lines.value += ["not seen"]
        golden.take("a person has moved up", stage)
        stage.press(.character("/"))
        golden.take("a search", stage)
        stage.type("LINE 5")
        stage.press(.enter)
        golden.take("found, around the end", stage)
        stage.press("n", "n", "N")
        golden.take("the next one but one, and back", stage)
        stage.press(.character("/"), .control("u"))
        stage.type("nothing like it")
        stage.press(.enter)
        golden.take("not found", stage)
        try golden.check()
    }

    @Test func `a log that was scrolled by the wheel stays, and follows again at its end`() {
        let lines = Kept((1...60).map { "line \($0)." })
        let stage = Stage { Log(lines.value) }
        stage.wheel(over: "line 60.", lines: -5)
        lines.value.append("line 61.")
        #expect(!stage.text.contains("line 61."))
        stage.wheel(over: "line 50.", lines: 10)
        #expect(stage.text.contains("line 61."))
        stage.press(.end)
        lines.value.append("line 62.")
        #expect(stage.text.contains("line 62."))
    }

    @Test func `Escape leaves a search`() {
        let stage = Stage { Log(["one", "two"]) }
        stage.press(.character("/"))
        #expect(stage.text.contains("[Esc] Stop"))
        stage.press(.escape)
        #expect(!stage.text.contains("[Esc] Stop"))
        #expect(stage.focused == "list")
    }

    @Test(
        arguments: [
            ("plain", "plain:plain"), ("\u{1B}[31mred\u{1B}[0m rest", "red:error| rest:plain"),
            ("\u{1B}[1;32mok\u{1B}[39m!", "ok:key|!:title"),
            ("\u{1B}[2mdim\u{1B}[22m!", "dim:secondary|!:plain"),
            ("\u{1B}[mnothing", "nothing:plain"), ("\u{1B}[90mgrey", "grey:secondary"),
            ("\u{1B}[38;5;196mred", "red:error"), ("\u{1B}[38;2;0;200;0;1mgreen", "green:key"),
            ("\u{1B}[38:2::0:0:255mblue", "blue:accent"), ("\u{1B}[48;5;1mback", "back:plain"),
            ("\u{1B}[38;5mshort", "short:plain"), ("\u{9B}33myellow", "yellow:warning"),
            ("a\u{1B}[2Jb\u{1B}[10;10Hc\u{1B}[Kd", "abcd:plain"),
            ("a\rb\u{8}c\u{7}d\u{7F}e", "abcde:plain"),
            ("\u{1B}]0;a title\u{7}after", "after:plain"),
            ("\u{1B}]8;;x\u{1B}\\link", "link:plain"),
            ("\u{1B}Pdevice\u{1B}\\after", "after:plain"), ("\u{1B}(Bset\u{1B}c", "set:plain"),
            ("\u{1B}[?25lcursor\u{1B}[>4;1m!", "cursor!:plain"), ("a\tb", "a       b:plain"),
            ("\u{1B}[31", ""), ("\u{1B}", ""), ("\u{1B}]never ends", ""),
            ("\u{1B}[99999999999999999999mx", "x:plain"),
            ("\u{1B}[38;2;9223372036854775807;1;1mred", "red:error"),
        ] as [(String, String)])
    func `colours become roles, and nothing else of a sequence is left`(
        text: String, expected: String
    ) {
        let line = TerminalText.line(text)
        #expect(line.spans.map { "\($0.text):\($0.role)" }.joined(separator: "|") == expected)
    }

    @Test func `no bytes of a line move a cursor or make it wider than its room`() {
        var random = SystemRandomNumberGenerator()
        let pieces = [
            "\u{1B}", "[", "]", "3", "8", ";", ":", "m", "H", "\u{9B}", "\r", "\n", "\u{7}", "a",
            "肉", "e\u{301}",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...30, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            let line = TerminalText.line(text)
            #expect(
                line.text.unicodeScalars.allSatisfy {
                    $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value)
                }, "\(text.debugDescription)")
            #expect(line.fitted(to: 9).cells <= 9)
        }
    }

    @Test func `of a line of a megabyte a part is read`() {
        for text in ["x", "\u{1B}[31m", "肉", "\u{1B}]x"] {
            let line = TerminalText.line(String(repeating: text, count: 1 << 20))
            #expect(line.text.utf8.count <= TerminalText.bytesMax + 3)
        }
        let text = String(repeating: "x", count: 1 << 20)
        let stage = Stage { Log([text, text, "end"]) }
        #expect(stage.draw().lines.allSatisfy { $0.cells <= 80 })
    }

    @Test func `a search reads no more than its limit, and goes on where it was`() {
        let search = LogSearch("here")
        var read = 0
        let line = { (index: Int) -> String.UTF8View in
            read += 1
            return (index == 299_999 ? "HERE" : "").utf8
        }
        #expect(search.find(from: 0, by: 1, of: 10, line) == .nowhere)
        #expect(read == 10)
        let limit = LogSearch.bytesMax / 64
        #expect(search.find(from: 0, by: 1, of: 300_000, line) == .notYet(limit))
        #expect(read == 10 + limit)
        #expect(search.find(from: limit, by: 1, of: 300_000, line) == .found(299_999))
        #expect(search.find(from: 0, by: -1, of: 300_000, line) == .found(299_999))
    }

    // MARK: - Long lists

    /// Counts what is asked of it.
    private final class Counts {
        var rows = 0
    }

    @Test func `of 100,000 rows only those in sight and the measured ones are made`() {
        let counts = Counts()
        let stage = Stage {
            List(0..<100_000, id: \.self) { number in
                counts.rows += 1
                return Text("row \(number)")
            }
        }
        stage.draw()
        for key in [Key.end, .pageUp, .up, .home, .pageDown] {
            counts.rows = 0
            stage.press(key)
            let before = counts.rows
            stage.draw()
            // What is pressed draws once before it, as a person sees it, and once after it.
            #expect(before <= 2 * (100 + 24))
            #expect(counts.rows - before <= 100 + 24)
        }
    }

    @Test func `a log of 100,000 lines reads those in sight and the measured ones`() {
        let counts = Counts()
        let stage = Stage {
            Log(
                (0..<100_000).lazy.map { number in
                    counts.rows += 1
                    return "line \(number)"
                })
        }
        stage.draw()
        counts.rows = 0
        stage.draw()
        #expect(stage.text.contains("line 99999"))
        #expect(counts.rows <= 3 * (100 + 24))
    }

    // MARK: - Logs that are trimmed

    @Test func `a log that drops old lines keeps what is selected, found and seen`() {
        let lines = Kept((1...100).map { "line \($0)." })
        let first = Kept(1)
        let stage = Stage { Log(lines.value, from: first.value) }
        func drop(_ count: Int) {
            lines.value.removeFirst(count)
            first.value += count
        }
        for _ in 0..<30 { stage.press(.up) }
        func place() -> Int? { stage.draw().lines.firstIndex { $0.text.hasPrefix("line 70.") } }
        let before = place()
        #expect(stage.text.contains("«line 70.»"))
        drop(40)
        lines.value.append("line 101.")
        #expect(stage.text.contains("«line 70.»"))
        #expect(place() == before)
        stage.press("/")
        stage.type("line 6")
        stage.press(.enter)
        #expect(stage.text.contains("«line 60.»") || stage.text.contains("«line 61.»"))
        drop(40)
        // What was selected is gone: the oldest line that is left is.
        #expect(stage.text.contains("«line 81.»"))
        stage.press(.end)
        drop(15)
        lines.value.append("line 102.")
        #expect(stage.text.contains("«line 102.»"))
    }
}
