// Golden: screens as text files, to be read by people and compared by tests.

import Foundation
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

/// The sizes at which every scenario is drawn.
nonisolated let goldenSizes = [
    ScreenSize(width: 80, height: 24), ScreenSize(width: 20, height: 5),
    ScreenSize(width: 132, height: 43),
]

/// The screens of one scenario at one size. With `NAPKIN_GOLDEN=write` they are written instead of
/// compared, and then to be read before they are committed.
final class Golden {
    private let name: String
    private var screens: [(title: String, text: String)] = []

    init(_ name: String, _ size: ScreenSize) {
        self.name = "\(name)-\(size.width)x\(size.height)"
    }

    /// Takes the screen as it is now.
    func take(_ title: String, _ stage: Stage) {
        let lines = stage.draw().lines
        #expect(lines.count == stage.size.height, "\(name): \(title)")
        #expect(lines.allSatisfy { $0.cells <= stage.size.width }, "\(name): \(title)")
        screens.append((title, stage.text))
    }

    /// Compares what was taken with the file.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .appending(path: "Golden/\(name).txt")
        let text = screens.map { "== \($0.title)\n\($0.text)\n" }.joined()
        if ProcessInfo.processInfo.environment["NAPKIN_GOLDEN"] == "write" {
            try text.write(to: file, atomically: true, encoding: .utf8)
            return
        }
        let expected = try String(contentsOf: file, encoding: .utf8)
        let now = text.split(separator: "\n", omittingEmptySubsequences: false)
        let then = expected.split(separator: "\n", omittingEmptySubsequences: false)
        for (line, pair) in zip(now, then).enumerated() where pair.0 != pair.1 {
            Issue.record(
                "\(name), line \(line + 1): is \(pair.0), was \(pair.1)",
                sourceLocation: sourceLocation)
            return
        }
        #expect(now.count == then.count, "\(name)", sourceLocation: sourceLocation)
    }
}
