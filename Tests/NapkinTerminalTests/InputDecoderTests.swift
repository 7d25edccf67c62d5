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
        #expect(read([.character(0), .character(28)]).isEmpty)
    }

    @Test func `an Escape with a letter right behind it is Alt`() {
        #expect(read(letters("\u{1B}b")) == [.key(.alt("b"))])
        #expect(read(letters("\u{1B}")) == [.key(.escape)])
        #expect(read([.character(27), .function(258)]) == [.key(.escape), .key(.down)])
        #expect(read(letters("\u{1B}\u{1B}")) == [.key(.escape), .key(.escape)])
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
