// StyledLineTests: widths in cells, and what of a text may reach a terminal.

import NapkinTransport
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct StyledLineTests {
    @Test(arguments: [
        ("", 0), ("Ribs", 4), ("é", 1), ("e\u{301}", 1), ("肉", 2), ("·", 1), ("🍖", 2),
        ("a肉b", 4),
    ])
    func `a text has the width that a terminal gives it`(text: String, cells: Int) {
        #expect(StyledLine(text).cells == cells)
    }

    @Test(arguments: [
        ("a\u{1B}[2Jb", "a\u{FFFD}[2Jb"), ("a\tb", "a b"), ("a\nb", "a\u{FFFD}b"),
        ("a\u{7F}", "a\u{FFFD}"), ("a\u{9B}1m", "a\u{FFFD}1m"), ("a\u{202E}b", "a\u{FFFD}b"),
        ("\r\n", "\u{FFFD}\u{FFFD}"),
    ])
    func `no character reaches the terminal that moves its cursor`(text: String, shown: String) {
        #expect(StyledLine(text).text == shown)
    }

    @Test(arguments: [
        ("👨\u{200D}👩\u{200D}👧", "👨👩👧", 6), ("👍\u{1F3FD}", "👍", 2), ("❤\u{FE0F}", "❤", 1),
        ("👩\u{1F3FD}\u{200D}🚀 a", "👩🚀 a", 6), ("🇩🇪", "🇩🇪", 2), ("肉e\u{301}", "肉e\u{301}", 3),
        ("\u{200D}\u{FE0F}", "", 0),
    ])
    func `an emoji takes as many cells on every terminal`(text: String, shown: String, cells: Int) {
        #expect(CellWidth.printable(text) == shown)
        #expect(CellWidth.cells(of: text) == cells)
        #expect(CellWidth.cells(of: shown) == cells)
    }

    @Test func `none of the characters that control reaches it, of all that there are`() {
        let all = String(
            String.UnicodeScalarView((UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)))
        #expect(StyledLine(all).text.unicodeScalars.allSatisfy(PrintableText.shows))
    }

    @Test(arguments: [
        (5, "abcde"), (4, "abc…"), (2, "a…"), (1, "…"), (0, ""), (-1, ""),
    ])
    func `a line that is too wide ends with an ellipsis`(width: Int, shown: String) {
        #expect(StyledLine("abcde").fitted(to: width).text == shown)
    }

    @Test func `a wide character is not cut in half`() {
        let line = StyledLine("肉肉肉")
        #expect(line.fitted(to: 6).text == "肉肉肉")
        #expect(line.fitted(to: 5).text == "肉肉…")
        #expect(line.fitted(to: 4).text == "肉…")
        #expect(line.fitted(to: 4).cells == 3)
    }

    @Test func `every width is kept, whatever the line`() {
        let line = StyledLine(spans: [
            TextSpan("e\u{301}", .title), TextSpan("肉 last", .secondary), TextSpan("🍖 call"),
        ])
        for width in 0...20 {
            #expect(line.fitted(to: width).cells <= width)
            #expect(line.fitted(to: width).padded(to: width).cells >= min(width, line.cells) - 1)
        }
    }

    @Test func `pieces keep their roles when a line is cut`() {
        let line = StyledLine("[l]", .key) + StyledLine(" Login", .plain)
        #expect(
            line.fitted(to: 6).spans == [
                TextSpan("[l]", .key), TextSpan(" L"), TextSpan("…"),
            ])
    }

    @Test func `a line that is exactly full leaves no space for the next one`() {
        func lines(_ text: String, _ width: Int) -> [String] {
            StyledLine(text).wrapped(to: width).map(\.text)
        }
        #expect(lines("four five six", 4) == ["four", "five", "six"])
        #expect(lines("four  five", 4) == ["four", "five"])
        #expect(lines("four five six", 9) == ["four five", "six"])
        #expect(lines("  in", 4) == ["  in"])
        #expect(lines("abcdefgh ij", 4) == ["abcd", "efgh", "ij"])
    }
}
