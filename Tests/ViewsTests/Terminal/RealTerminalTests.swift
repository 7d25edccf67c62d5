// RealTerminalTests: what is drawn takes as many cells in a real terminal as it is measured to.

import Foundation
import TestSupport
import Testing

@testable import NapkinTerminal

/// xterm on a display that nobody sees. Each text is written there, and the terminal asked for its
/// cursor.
private struct HiddenTerminal {
    /// Prints each line of a file, and then the cells that the cursor has moved: `CSI 6n`.
    private static let script = """
        stty -echo raw
        while IFS= read -r text <&3; do
            printf '\\r\\033[2K%s\\033[6n' "$text"
            IFS= read -rs -d R answer
            echo "$((${answer##*;} - 1))" >&4
        done 3<"$1" 4>"$2"
        """

    private let directory = TemporaryDirectory()

    /// Returns how many cells each of the texts takes.
    func cells(of texts: [String]) async throws -> [Int] {
        let display = try Child(
            "/usr/bin/env", ["Xvfb", "-displayfd", "1", "-screen", "0", "640x480x24"])
        let (_, number) = try await display.line { Int($0) != nil }
        try Data(texts.map { $0 + "\n" }.joined().utf8)
            .write(to: URL(fileURLWithPath: directory("texts")))
        // Without the user's settings.
        let terminal = try Child(
            "/usr/bin/env",
            ["xterm", "-u8", "-e", "bash", "-c", Self.script, "bash"]
                + [directory("texts"), directory("cells")],
            environment: [
                "DISPLAY": ":\(number)", "LC_ALL": "C.UTF-8", "HOME": directory.path,
            ])
        let status = await terminal.exit()
        let errors = await terminal.allErrors()
        display.signal(SIGTERM)
        _ = await display.exit()
        try Failure.unless(status == 0, "xterm: \(status) \(errors)")
        return try String(contentsOfFile: directory("cells"), encoding: .utf8)
            .split(separator: "\n").compactMap { Int($0) }
    }
}

@Suite(.timeLimit(.minutes(5)))
struct RealTerminalTests {
    private static let texts =
        ["Ribs", "é", "e\u{301}", "肉", "·", "🍖", "a肉b", "肉e\u{301}", "한", "ﾊ", "Ａ", "ع", "א"]
        + ["ก็", "नि", "─█▒", "…", "‹›", "▁▃▅█", "✔", "⚠", "①", "㊗", "⁉", "☺", "☎", "✈", "⏱", "⌚"]
        // Made of others: a colour of skin, a selector, joiners, a flag of two letters.
        + ["👍\u{1F3FD}", "❤\u{FE0F}", "1\u{FE0F}\u{20E3}", "👨\u{200D}👩\u{200D}👧\u{200D}👦"]
        + ["👩\u{1F3FD}\u{200D}🚀 a", "🏳\u{FE0F}\u{200D}🌈", "🧑\u{200D}🤝\u{200D}🧑", "🇩🇪", "🇩🇪🇫🇷"]
        // Some are newer than the C library's table.
        + ["🫠", "🪿", "🫨"]

    @Test func `every text takes as many cells in xterm as it is measured to`() async throws {
        let shown = Self.texts.map(CellWidth.printable)
        let cells = try await HiddenTerminal().cells(of: shown)
        try #require(cells.count == shown.count)
        for (text, cells) in zip(shown, cells) {
            #expect(CellWidth.cells(of: text) == cells, "\(text)")
        }
    }
}
