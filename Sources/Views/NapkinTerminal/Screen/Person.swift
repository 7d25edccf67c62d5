// Person: simulates a person at a screen, without a terminal.

import NapkinElements

struct Person {
    let sees: () -> ScreenPage
    let does: (TerminalInput) -> Void
    let focused: () -> String?

    func input(_ input: TerminalInput) {
        _ = sees()
        does(input)
    }

    func type(_ text: String) {
        for character in text { input(.key(.character(character))) }
    }

    /// Uses the mouse on the first occurrence of `text` on the screen.
    func point(
        at text: String, _ mouse: (_ x: Int, _ y: Int) -> TerminalInput
    ) throws(StageError) {
        let lines = sees().lines.map(\.text)
        for (y, line) in lines.enumerated() {
            guard let range = line.firstRange(of: text) else { continue }
            return does(mouse(CellWidth.cells(of: line[..<range.lowerBound]), y))
        }
        throw StageError("'\(text)' is not on the screen", lines)
    }

    /// Presses Tab until the element has the focus.
    func focus(_ element: String) throws(StageError) {
        var seen: Set<String?> = []
        while seen.insert(focused()).inserted {
            if focused() == element { return }
            input(.key(.tab))
        }
        throw StageError("no key leads to '\(element)'", sees().lines.map(\.text))
    }
}

/// A stage does not have the element or text that a test wants to use.
public struct StageError: Error, CustomStringConvertible {
    public let description: String

    init(_ what: String, _ lines: [String]) {
        description = ([what + "; there is"] + lines).joined(separator: "\n")
    }
}
