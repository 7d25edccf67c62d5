// BackgroundQuestionTests: what a terminal says of its background, among a person's keys.

import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct BackgroundQuestionTests {
    private static let deviceAttributes = "\u{1B}[?64;1;2;22c"

    private func reports(_ text: String) -> [CursesKey] {
        text.unicodeScalars.map { .character($0.value) }
    }

    private func typed(_ text: String) -> [TerminalInput] {
        text.unicodeScalars.map { .key(.character(Character($0))) }
    }

    /// Returns the decoder that has read the pieces after the question, and a person's input.
    private func read(_ pieces: [CursesKey]...) -> (InputDecoder, [TerminalInput]) {
        var decoder = InputDecoder()
        decoder.background.ask()
        var inputs: [TerminalInput] = []
        for piece in pieces {
            var waiting = piece[...]
            while let input = decoder.read({ waiting.popFirst() }) { inputs.append(input) }
        }
        return (decoder, inputs)
    }

    @Test(arguments: [
        ("rgb:0000/0000/0000", false), ("rgb:ffff/ffff/ffff", true), ("rgb:F/f/F", true),
        ("rgb:fd/f6/e3", true), ("rgb:000/2b2/363", false), ("rgba:ffff/ffff/ffff/8000", true),
        ("rgb:7a7a/7a7a/7a7a", true), ("rgb:7575/7575/7575", false),
    ])
    func `a colour is light or dark, with digits as there are`(colour: String, isLight: Bool) {
        for end in ["\u{7}", "\u{1B}\\"] {
            let (decoder, inputs) = read(
                reports("\u{1B}]11;\(colour)\(end)\(Self.deviceAttributes)q"))
            #expect(decoder.background.isLight == isLight)
            #expect(!decoder.background.isOpen)
            #expect(inputs == typed("q"))
        }
    }

    @Test func `an answer may come in two pieces, split anywhere`() {
        let text = reports("a\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\b\(Self.deviceAttributes)c")
        for index in text.indices {
            let (decoder, inputs) = read(Array(text[..<index]), Array(text[index...]))
            #expect(decoder.background.isLight == true, "\(index)")
            #expect(!decoder.background.isOpen)
            #expect(inputs == typed("abc"), "\(index)")
        }
    }

    @Test func `a terminal that says nothing of its background says so by the next answer`() {
        let (decoder, inputs) = read(reports(Self.deviceAttributes))
        #expect(decoder.background.isSettled)
        #expect(decoder.background.isLight == nil)
        #expect(inputs.isEmpty)
    }

    @Test func `keys between the answers are keys`() {
        let (_, inputs) = read(
            reports("l\u{1B}]11;rgb:0/0/0\u{7}x") + [.function(258)]
                + reports(Self.deviceAttributes + "q"))
        #expect(inputs == typed("lx") + [.key(.down)] + typed("q"))
    }

    @Test(arguments: [
        "]11;rgb:ff/ff", "]11;rgb:/ff/ff", "]11;rgb:fffff/0/0", "]11;rgb:", "]11;?",
        "]10;rgb:f/f/f",
        "]11;rgb:ff/ff/ff:", "]", "]11;#ffffff", "]:::",
    ])
    func `an answer that says no colour is passed over`(answer: String) {
        let (decoder, _) = read(reports("\u{1B}\(answer)\u{7}"))
        #expect(decoder.background.isLight == nil)
        #expect(decoder.background.isOpen)
    }

    @Test func `what cannot be an answer is passed over, and a key cuts an answer off`() {
        #expect(read(reports("\u{1B}]11;xyz\u{7}q")).1 == typed("q"))
        #expect(
            read(reports("\u{1B}]") + [.function(258), .character(0x31)]).1
                == [.key(.down), .key(.character("1"))])
    }

    @Test func `an answer that comes late, or was not asked for, is no key`() {
        var decoder = InputDecoder()
        var waiting = reports("\u{1B}]11;rgb:0/0/0\u{1B}\\\(Self.deviceAttributes)q")[...]
        #expect(decoder.read { waiting.popFirst() } == .key(.character("q")))
        #expect(decoder.background.isLight == false)
    }

    @Test func `random input never traps, and is read to its end`() {
        var random = SystemRandomNumberGenerator()
        let letters = Array("\u{1B}\u{1B}]]11;rgb:/ff?[c\\\u{7}q\u{9C}\u{FFFD}".unicodeScalars)
        for _ in 0..<2000 {
            var waiting = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                CursesKey.character(letters.randomElement(using: &random)?.value ?? 0)
            }[...]
            var decoder = InputDecoder()
            decoder.background.ask()
            while decoder.read({ waiting.popFirst() }) != nil {}
            #expect(waiting.isEmpty)
        }
    }
}
