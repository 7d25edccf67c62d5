// VirtualTerminalTests: keys as bytes, history, search, modes, and bytes that nobody should send.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinSystem

extension VirtualTerminal {
    @discardableResult
    fileprivate func feed(_ text: String) -> String {
        String(decoding: feed(Array(text.utf8)[...]), as: UTF8.self)
    }

    fileprivate func sent(_ input: ConsoleInput) -> String {
        String(decoding: bytes(for: input), as: UTF8.self)
    }
}

@Suite struct VirtualTerminalTests {
    private func terminal(rows: Int = 5, columns: Int = 20) throws -> VirtualTerminal {
        try #require(VirtualTerminal(rows: rows, columns: columns))
    }

    // MARK: - Keys

    @Test(arguments: [
        ("a", "a"), ("A", "A"), ("é", "é"), ("漢", "漢"), (" ", " "), ("Enter", "\r"),
        ("Tab", "\t"), ("Shift+Tab", "\u{1B}[Z"), ("Backspace", "\u{7F}"), ("Escape", "\u{1B}"),
        ("ArrowUp", "\u{1B}[A"), ("ArrowDown", "\u{1B}[B"), ("ArrowRight", "\u{1B}[C"),
        ("ArrowLeft", "\u{1B}[D"), ("Home", "\u{1B}[H"), ("End", "\u{1B}[F"),
        ("Insert", "\u{1B}[2~"), ("Delete", "\u{1B}[3~"), ("PageUp", "\u{1B}[5~"),
        ("PageDown", "\u{1B}[6~"), ("F1", "\u{1B}OP"), ("F5", "\u{1B}[15~"), ("F12", "\u{1B}[24~"),
        ("Control+a", "\u{1}"), ("Control+C", "\u{3}"), ("Control+i", "\t"), ("Control+m", "\r"),
        ("Control+[", "\u{1B}"), ("Control+\\", "\u{1C}"), ("Control+]", "\u{1D}"),
        ("Control+ ", "\0"), ("Control+@", "\0"), ("Control+_", "\u{1F}"), ("Control+/", "\u{1F}"),
        ("Alt+x", "\u{1B}x"), ("Alt+Enter", "\u{1B}\r"), ("Alt+Control+a", "\u{1B}\u{1}"),
        ("Control+ArrowLeft", "\u{1B}[1;5D"), ("Shift+ArrowUp", "\u{1B}[1;2A"),
        ("Control+1", "1"), ("F13", ""), ("F0", ""), ("Nothing", ""), ("", ""), ("Control+", ""),
    ])
    func `a key is what programs expect`(name: String, bytes: String) throws {
        #expect(try terminal().sent(.key(name)) == bytes)
    }

    @Test func `programs change what keys, pastes and the mouse are`() throws {
        let terminal = try terminal()
        #expect(terminal.sent(.paste("a\u{1B}[201~\nb")) == "a[201~\rb")
        #expect(terminal.sent(.click(row: 1, column: 2)) == "")
        terminal.feed("\u{1B}[?1h\u{1B}[?2004h\u{1B}[?1000h\u{1B}[?1006h")
        #expect(terminal.sent(.key("ArrowUp")) == "\u{1B}OA")
        #expect(terminal.sent(.paste("x")) == "\u{1B}[200~x\u{1B}[201~")
        #expect(terminal.sent(.click(row: 1, column: 2)) == "\u{1B}[<0;3;2M\u{1B}[<0;3;2m")
        #expect(terminal.sent(.wheel(row: 0, column: 0, lines: -3)) == "\u{1B}[<64;1;1M")
        #expect(terminal.current().takesMouse)
        #expect(terminal.sent(.text("hé\n\u{1B}\u{7}")) == "hé\r")
    }

    @Test func `the wheel is arrows on an alternate screen, otherwise it goes through the history`()
        throws
    {
        let terminal = try terminal()
        for line in 1...9 { terminal.feed("\(line)\r\n") }
        #expect(terminal.sent(.wheel(row: 0, column: 0, lines: -2)) == "")
        #expect(terminal.current().rows.map(\.text) == ["4", "5", "6", "7", "8"])
        terminal.feed("\u{1B}[?1049h")
        #expect(terminal.current().isAlternate)
        #expect(terminal.sent(.wheel(row: 0, column: 0, lines: 2)) == "\u{1B}[B\u{1B}[B")
        terminal.feed("\u{1B}[?1049l")
        #expect(terminal.current().rows.map(\.text) == ["6", "7", "8", "9", ""])
    }

    @Test func `questions are answered`() throws {
        let terminal = try terminal()
        #expect(terminal.feed("ab\u{1B}[6n") == "\u{1B}[1;3R")
        #expect(terminal.feed("\u{1B}[5n") == "\u{1B}[0n")
        #expect(terminal.feed("\u{1B}[c").hasPrefix("\u{1B}[?"))
    }

    // MARK: - The screen

    @Test func `styles, faint ones as well, are those of the program, and rows stay equal`() throws
    {
        let terminal = try terminal()
        terminal.feed("\u{1B}[1;31mred\u{1B}[22m \u{1B}[2;4mfaint\u{1B}[22m line\u{1B}[m ok")
        terminal.feed("\r\n\u{1B}[38;2;1;2;3m漢字\u{1B}[58;5;1mx\u{1B}[0m   ")
        let red = ConsoleColour.indexed(1)
        let rows = terminal.current().rows
        #expect(
            rows[0].runs == [
                ConsoleRun("red", cells: 3, style: ConsoleStyle(foreground: red, .bold)),
                ConsoleRun(" ", cells: 1, style: ConsoleStyle(foreground: red)),
                ConsoleRun(
                    "faint", cells: 5, style: ConsoleStyle(foreground: red, [.faint, .underline])),
                ConsoleRun(" line", cells: 5, style: ConsoleStyle(foreground: red, .underline)),
                ConsoleRun(" ok", cells: 3),
            ])
        let colour = ConsoleStyle(foreground: .rgb(0x010203))
        #expect(
            rows[1].runs == [
                ConsoleRun("漢字", cells: 4, style: colour), ConsoleRun("x", cells: 1, style: colour),
            ])
        terminal.feed("\u{1B}[5;1Hend")
        #expect(Array(terminal.current().rows[0..<4]) == Array(rows[0..<4]))
    }

    @Test func `what is erased has a background alone, and half a wide character is empty`() throws
    {
        let terminal = try terminal()
        terminal.feed(
            "\u{1B}[4;7;41mab\u{1B}[K\u{1B}[m\r\n漢字\u{1B}[2;2Hx\u{1B}[2;3Hy\u{1B}[3;1Hx\u{1B}[3b")
        let rows = terminal.current().rows
        let red = ConsoleColour.indexed(1)
        #expect(rows[0].runs.map(\.cells) == [2, 18])
        #expect(rows[0].runs[1].style == ConsoleStyle(background: red))
        #expect(rows[1].runs == [ConsoleRun(" xy", cells: 3)])
        #expect(rows[2].text == "xxxx")
    }

    @Test func `a title, the bell and the cursor are told`() throws {
        let terminal = try terminal()
        terminal.feed("\u{1B}]2;vim: ribs\u{7}\u{7}\u{7}abc\u{1B}[6 q")
        let screen = terminal.current()
        #expect(screen.title == "vim: ribs" && screen.bells == 2)
        #expect(screen.cursor == ConsoleCursor(row: 0, column: 3, shape: .bar))
        terminal.feed("\u{1B}[?25l")
        #expect(terminal.current().cursor == nil)
    }

    @Test func `a search goes upwards through the history, and typing comes back`() throws {
        let terminal = try terminal()
        for line in 1...50 {
            terminal.feed(line % 20 == 0 ? "a Needle \(line)\r\n" : "\(line)\r\n")
        }
        _ = terminal.bytes(for: .find("needle"))
        let first = terminal.current()
        #expect(first.rows[first.cursor?.row ?? 0].text == "a Needle 40")
        #expect(first.cursor?.column == 2 && first.scrolled > 0)
        _ = terminal.bytes(for: .find("needle"))
        let second = terminal.current()
        #expect(second.rows[second.cursor?.row ?? 0].text == "a Needle 20")
        // What was found stays in sight while the program goes on.
        terminal.feed("more\r\nmore\r\n")
        #expect(terminal.current().rows == second.rows)
        _ = terminal.bytes(for: .find("nowhere"))
        #expect(terminal.current().rows == second.rows)
        #expect(terminal.sent(.key("a")) == "a")
        #expect(terminal.current().scrolled == 0)
    }

    // MARK: - Limits

    @Test func `the history keeps the newest rows within its limits`() throws {
        let terminal = try terminal(rows: 2, columns: 1000)
        for line in 0..<12_000 { terminal.feed("\(line)\r\n") }
        #expect(terminal.history.count == ConsoleHistory.rowsMax)
        #expect(terminal.history[0].text == "1999")
        // Rows in which each cell has a look of its own cost more.
        let dear = (0..<1000).map { "\u{1B}[38;5;\($0 % 256)mx" }.joined()
        for _ in 0..<300 { terminal.feed(dear + "\r\n") }
        #expect(terminal.history.count < 200)
    }

    @Test func `sizes have limits, and a screen follows them`() throws {
        let terminal = try terminal()
        for (rows, columns) in [(0, -1), (1, 1), (99_999, 99_999), (2, 3), (Int.max, Int.min)] {
            terminal.resize(rows: rows, columns: columns)
            let screen = terminal.current()
            #expect((1...ConsoleScreen.rowsMax).contains(screen.rows.count))
            #expect((1...ConsoleScreen.columnsMax).contains(screen.columns))
            terminal.feed("漢字 and text that is longer than a row\r\n\u{1B}[99;99H漢")
        }
    }

    /// Bytes of which many mean something to a terminal.
    private func hostile(_ random: inout Randomness) -> [UInt8] {
        (0..<(1 + random.below(400))).flatMap { _ -> [UInt8] in
            switch random.below(10) {
            case 0..<3: [UInt8(truncatingIfNeeded: random.next())]
            case 3..<6: Array("\u{1B}[".utf8)
            case 6: Array("\(random.below(1 << random.below(40)))".utf8)
            case 7: [Array(";:?>!$ \"'".utf8)[random.below(9)]]
            case 8: [UInt8(0x40 + random.below(0x3F))]
            default: [[0x1B, 0x5D], [0x1B, 0x50], [0x07], [0x9B], [0xE6, 0xBC]][random.below(5)]
            }
        }
    }

    @Test func `random bytes at random sizes neither trap nor leave the limits`() throws {
        for seed in 1...60 {
            var random = Randomness(seed: UInt64(seed))
            let terminal = try terminal(rows: 1 + random.below(30), columns: 1 + random.below(90))
            for _ in 0..<40 {
                let answers = terminal.feed(hostile(&random)[...])
                #expect(answers.count <= 64 * 1024)
                if random.percent(20) {
                    terminal.resize(rows: random.below(60), columns: random.below(200))
                }
                if random.percent(20) {
                    _ = terminal.bytes(for: .scroll(lines: random.below(200) - 100))
                }
                if random.percent(5) { _ = terminal.bytes(for: .find("e")) }
                let screen = terminal.current()
                #expect(screen.title.utf8.count <= 4096)
                for row in screen.rows {
                    #expect(row.runs.reduce(0) { $0 + $1.cells } <= screen.columns)
                }
            }
        }
    }
}
