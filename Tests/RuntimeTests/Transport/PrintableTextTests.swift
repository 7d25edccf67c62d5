// PrintableTextTests: no control of anybody is printed, in a text or in JSON.

import Foundation
import NapkinTransport
import Testing

@Suite struct PrintableTextTests {
    /// As Unicode says it, which the code does not ask.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.isBidiControl
            || [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }

    private static let all = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)
    private static let controls = all.filter(isControl)

    private func text(_ printable: PrintableText) -> String {
        String(decoding: printable.bytes, as: UTF8.self)
    }

    @Test func `every control of Unicode is one, and nothing else`() {
        #expect(Self.controls.count == 65 + 12 + 2)
        let wrong = Self.all.filter { PrintableText.shows($0) == Self.isControl($0) }
        #expect(wrong.isEmpty)
    }

    @Test(arguments: controls)
    func `a control is shown, in a text as Swift writes it, in JSON as an escape`(
        control: Unicode.Scalar
    ) throws {
        let name = "肉\(control)b"
        let line = text(PrintableText(line: name))
        let shown = name.unicodeScalars.map { $0 == control ? $0.escaped(asASCII: true) : "\($0)" }
        #expect(line.dropLast() == shown.joined())
        #expect(line.unicodeScalars.filter(Self.isControl) == ["\n"])
        let data = try JSONSerialization.data(withJSONObject: [name])
        let json = text(PrintableText(json: Array(data)))
        #expect(json.unicodeScalars.filter(Self.isControl) == ["\n"])
        #expect(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String] == [name])
    }

    @Test(arguments: [
        ("", ""), ("Ribs", "Ribs"), ("肉 🍖 e\u{301}", "肉 🍖 e\u{301}"), ("a\u{1B}[2J", "a\\u{1B}[2J"),
        ("a\r\nb\tc", "a\\r\\nb\\tc"), ("\\u{1B}", "\\u{1B}"), ("\u{202E}abc", "\\u{202E}abc"),
    ])
    func `a text is escaped once, however often it is asked for`(from: String, to: String) {
        #expect(PrintableText.escaped(from) == to)
        #expect(PrintableText.escaped(to) == to)
    }

    @Test func `lines of others stay one line each, and lines of ours are lines`() {
        #expect(text(PrintableText(lines: ["a\nb", "c"])) == "a\\nb\nc\n")
        #expect(text(PrintableText(text: "a\n\nb")) == "a\n\nb\n")
        #expect(text(PrintableText(text: "a\nb\n")) == "a\nb\n")
        #expect(text("\u{1B}[H" + PrintableText(escaping: "\u{1B}")) == "\u{1B}[H\\u{1B}")
    }

    @Test func `bytes that are no UTF-8 are no controls either`() {
        // Alone, 0x9B is a control sequence's beginning for a terminal of eight bits.
        #expect(text(PrintableText(json: [0x22, 0x9B, 0x22])) == "\"\u{FFFD}\"\n")
    }

    @Test(arguments: [
        (["ls", "--json"], nil), ([], nil), (["--session=a="], nil), (["--session", " "], nil),
        (["ls", "--socket", ""], "--socket is followed by nothing"),
        (["--state-dir="], "--state-dir is followed by nothing"),
        (["kill", ""], "argument 2 is empty"), (["send", "--", ""], "argument 3 is empty"),
        (["--socket=a", ""], "argument 2 is empty"),
    ])
    func `a word of a command line says something`(words: [String], mistake: String?) {
        let said = EmptyWord.mistake(in: words)
        #expect((said == nil) == (mistake == nil))
        #expect(said?.hasPrefix(mistake ?? "") != false)
    }
}
