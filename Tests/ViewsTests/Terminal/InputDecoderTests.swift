// InputDecoderTests: keys, Alt, clicks and pastes from what ncurses reports.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct InputDecoderTests {
    private func read(_ reports: [CursesKey]) -> [TerminalInput] {
        var waiting = reports[...]
        var decoder = InputDecoder()
        var inputs: [TerminalInput] = []
        while let input = decoder.read({ waiting.popFirst() }) { inputs.append(input) }
        // Nothing more comes.
        decoder.paused()
        while let input = decoder.read({ nil }) { inputs.append(input) }
        #expect(decoder.patience == nil)
        return inputs
    }

    private func letters(_ text: String) -> [CursesKey] {
        text.unicodeScalars.map { .character($0.value) }
    }

    @Test func `keys have their names`() {
        #expect(
            read(letters("a肉\r\u{7F}\t\u{12}")) == [
                .key(.character("a")), .key(.character("肉")), .key(.enter), .key(.backspace),
                .key(.tab), .key(.control("r")),
            ])
        // KEY_F0 is 264, KEY_BTAB 353, KEY_DC 330 (curses.h).
        #expect(
            read([.function(265), .function(353), .function(330), .function(999)]) == [
                .key(.function(1)), .key(.backTab), .key(.delete),
            ])
        #expect(
            read([.character(28), .character(31)]) == [.key(.control("\\")), .key(.control("_"))])
        #expect(read([.character(0)]).isEmpty)
    }

    @Test func `an Escape with a letter right behind it is Alt`() {
        #expect(read(letters("\u{1B}b")) == [.key(.alt("b"))])
        #expect(read(letters("\u{1B}")) == [.key(.escape)])
        #expect(read([.character(27), .function(258)]) == [.key(.escape), .key(.down)])
        #expect(read(letters("\u{1B}\u{1B}")) == [.key(.escape), .key(.escape)])
    }

    /// Whether they are known or not: keys with modifiers, reports, strings, a console's F1.
    private nonisolated static let sequences =
        ["[9;9q", "[1;2;3e", "[1;5D", "[?1;2c", "[>0q", "[ p", "[1$y", "[[A", "[~", "[8;24;80t"]
        + [
            "[I", "OP", "O1;5P", "O5D", "]0;a q title\u{7}", "]11;rgb:0/0/0\u{1B}\\",
            "P1$r0m\u{1B}\\",
        ]
        + ["_G;OK\u{1B}\\", "^q\u{1B}\\", "Xq\u{1B}\\", "]52;c;?\u{9C}", "]8;;\u{1B}\\"]

    @Test(arguments: sequences)
    func `a sequence is no key, wherever it is cut`(sequence: String) {
        let whole = letters("\u{1B}\(sequence)")
        #expect(read(letters("a") + whole + letters("b")) == typed("ab"))
        for end in whole.indices.dropFirst() {
            var decoder = InputDecoder()
            decoder.background.ask()
            var inputs: [TerminalInput] = []
            for piece in [whole[..<end], whole[end...] + letters("b")] {
                var waiting = piece
                while let input = decoder.read({ waiting.popFirst() }) { inputs.append(input) }
            }
            #expect(inputs == typed("b"), "\(end)")
        }
        // One that is cut off, and one of eight bits.
        #expect(read(whole.dropLast() + [.function(258)]) == [.key(.down)])
        let first = sequence.unicodeScalars.first?.value ?? 0
        #expect(read([.character(first + 0x40)] + whole.dropFirst(2) + letters("b")) == typed("b"))
    }

    private func typed(_ text: String) -> [TerminalInput] {
        text.map { .key(.character($0)) }
    }

    @Test func `what begins like a sequence is Alt after a pause, and what has no end is nothing`()
    {
        #expect(read(letters("\u{1B}[")) == [.key(.alt("["))])
        #expect(read(letters("\u{1B}O")) == [.key(.alt("O"))])
        #expect(read(letters("\u{1B}]11;rgb")).isEmpty)
        #expect(read(letters("\u{1B}[12\u{3}")) == [.key(.control("c"))])
        #expect(read(letters("\u{1B}]q\u{3}")) == [.key(.control("c"))])
        #expect(read(letters("\u{1B}]" + String(repeating: "q", count: 10_000))).isEmpty)
    }

    @Test func `a lone Escape waits for nobody, but where an answer is expected`() {
        var decoder = InputDecoder()
        var waiting = letters("\u{1B}")[...]
        #expect(decoder.read { waiting.popFirst() } == nil && decoder.patience == .zero)
        decoder.background.ask()
        #expect(decoder.patience ?? .zero > .zero)
        decoder.paused()
        #expect(decoder.read { nil } == .key(.escape) && decoder.patience == nil)
    }

    @Test func `a paste ends by itself after a pause, and keys are keys again`() {
        #expect(read([.pasteBegins] + letters("hello")) == [.paste("hello")])
        var decoder = InputDecoder()
        var waiting = ([.pasteBegins] + letters("a\u{1B}"))[...]
        #expect(decoder.read { waiting.popFirst() } == nil)
        #expect(decoder.patience == .seconds(2))
        decoder.paused()
        waiting = ([.pasteEnds] + letters("q"))[...]
        #expect(decoder.read { waiting.popFirst() } == .paste("a"))
        #expect(decoder.read { waiting.popFirst() } == .key(.character("q")))
    }

    @Test func `the brackets of a paste may come in pieces, and sequences in it are left out`() {
        let paste = letters("\u{1B}[200~a\u{1B}[31mb\u{1B}c\u{1B}[201~q")
        #expect(read(paste) == [.paste("abc"), .key(.character("q"))])
        #expect(read([.pasteBegins] + letters("\u{1B}]a") + [.pasteEnds]) == [.paste("")])
    }

    @Test func `a paste comes whole, and nothing in it is a key`() {
        let paste = [.pasteBegins] + letters("l\rq") + [.function(258), .pasteEnds] + letters("x")
        #expect(read(paste) == [.paste("l\nq"), .key(.character("x"))])
        #expect(read([.pasteEnds, .pasteBegins, .pasteEnds]) == [.paste("")])
    }

    @Test func `a paste may come in pieces`() {
        var decoder = InputDecoder()
        var first = ([.pasteBegins] + letters("ab"))[...]
        #expect(decoder.read { first.popFirst() } == nil)
        var second = (letters("cd") + [.pasteEnds])[...]
        #expect(decoder.read { second.popFirst() } == .paste("abcd"))
    }

    @Test func `a paste has a limit, and its end is still found`() throws {
        let text = String(repeating: "x", count: FieldMemory.bytesMax + 10)
        let inputs = read([.pasteBegins] + letters(text) + [.pasteEnds] + letters("q"))
        #expect(inputs.last == .key(.character("q")))
        guard case .paste(let pasted)? = inputs.first else {
            Issue.record("no paste")
            return
        }
        // One character more than a field takes, which then says so.
        let most = FieldMemory.bytesMax
        #expect((most + 1...most + 4).contains(pasted.utf8.count))
    }

    @Test func `clicks and the wheel have their place`() {
        #expect(
            read([.click(x: 3, y: 4), .wheel(x: 1, y: 2, lines: -3)]) == [
                .click(x: 3, y: 4), .wheel(x: 1, y: 2, lines: -3),
            ])
    }

    @Test(arguments: [
        (Key.backTab, "⇧Tab"), (.delete, "Del"), (.alt("x"), "Alt-x"), (.function(5), "F5"),
        (.control("r"), "^R"), (.character(" "), "Space"),
    ])
    func `the screen names a key`(key: Key, label: String) {
        #expect(key.label == label)
    }
}
