// TmuxScreen: what tmux shows for a program's output, cell by cell.

import Foundation
import NapkinCore
import TestSupport

/// A cell, as two terminals can agree on it. The background of an empty one is not compared: tmux
/// does not tell it of cells that were only erased.
struct ShownCell: Equatable, CustomStringConvertible {
    var text = " "
    var style: ConsoleStyle?

    init(_ text: String, _ style: ConsoleStyle?) {
        self.text = text
        let seen: ConsoleAttributes = [.reverse, .underline, .strike]
        let isPlain = text == " " && style?.attributes.isDisjoint(with: seen) == true
        self.style = isPlain || style == ConsoleStyle() ? nil : style
    }

    var description: String { "\(text)\(style.map { "{\($0)}" } ?? "")" }
}

extension ConsoleScreen {
    /// The cells, row by row; a wide character has an empty text after it.
    var cells: [[ShownCell]] {
        rows.map { row in
            var cells: [ShownCell] = []
            for run in row.runs {
                let isWide = run.cells == 2 * run.text.count && run.cells > 0
                for letter in run.text {
                    cells.append(ShownCell(String(letter), run.style))
                    if isWide { cells.append(ShownCell("", run.style)) }
                }
            }
            while cells.count < columns { cells.append(ShownCell(" ", nil)) }
            return cells
        }
    }
}

/// A tmux of a test's own, with one pane.
final class TmuxScreen {
    private let directory = TemporaryDirectory()
    private var count = 0

    private var socket: String { directory("t") }

    init(rows: Int, columns: Int) async throws {
        try await run(
            "-f", "/dev/null", "start-server", ";", "set", "-g", "status", "off", ";", "set", "-g",
            "default-terminal", "tmux-256color", ";", "new-session", "-d", "-x", "\(columns)",
            "-y", "\(rows)", "exec cat")
    }

    func close() async throws { try await run("kill-server") }

    @discardableResult
    private func run(_ arguments: String...) async throws -> [String] {
        let child = try Child(
            "/usr/bin/env", ["tmux", "-S", socket] + arguments, environment: ["LC_ALL": "C.UTF-8"])
        child.closeInput()
        let (status, lines) = await child.result()
        guard status == 0 else { throw Failure("tmux \(arguments): \(await child.allErrors())") }
        return lines
    }

    /// Returns what a stream leaves on the screen, and the cursor's place.
    func shows(
        _ stream: ConsoleStream
    ) async throws -> (cells: [[ShownCell]], row: Int, column: Int) {
        count += 1
        var command = "stty raw -echo"
        for (index, part) in stream.parts.enumerated() {
            // A terminal that has seen all of it has the title; CAN ends what is unfinished.
            let end = Array("\u{18}\u{1B}\\\u{1B}]2;\(count)-\(index)\u{1B}\\".utf8)
            try Data(part.bytes + end).write(to: URL(filePath: directory("\(index)")))
            if index > 0 { command += "; tmux -S '\(socket)' wait-for go" }
            command += "; cat '\(directory("\(index)"))'"
        }
        let first = stream.parts[0]
        try await run("resize-window", "-x", "\(first.columns)", "-y", "\(first.rows)")
        try await run("respawn-pane", "-k", "\(command); exec cat")
        var lines = try await lines(after: "\(count)-0")
        for (index, part) in stream.parts.enumerated().dropFirst() {
            try await run(
                "resize-window", "-x", "\(part.columns)", "-y", "\(part.rows)", ";", "wait-for",
                "-S", "go")
            lines = try await self.lines(after: "\(count)-\(index)")
        }
        let place = lines[0].split(separator: " ").compactMap { Int($0) }
        let size = stream.parts[stream.parts.count - 1]
        var reader = StyledReader()
        var cells = lines.dropFirst().map { reader.cells(of: $0, size.columns) }
        while cells.count < size.rows { cells.append(reader.cells(of: "", size.columns)) }
        return (cells, place[1], min(place[0], size.columns - 1))
    }

    /// Returns the cursor's place and the lines, when the pane has this title.
    private func lines(after title: String) async throws -> [String] {
        let end = ContinuousClock.now + .seconds(20)
        repeat {
            let lines = try await run(
                "display-message", "-p", "#{pane_title}", ";", "display-message", "-p",
                "#{cursor_x} #{cursor_y}", ";", "capture-pane", "-e", "-p", "-N")
            if lines.first == title { return Array(lines.dropFirst()) }
        } while ContinuousClock.now < end
        throw Failure("tmux has not shown a stream within 20 s")
    }
}

/// Reads the lines of `capture-pane -e`.
private struct StyledReader {
    private var foreground: ConsoleColour?
    private var background: ConsoleColour?
    private var attributes: ConsoleAttributes = []
    private var isGraphic = false

    private static let graphics: [Character: Character] = [
        "l": "┌", "q": "─", "k": "┐", "x": "│", "m": "└", "j": "┘",
    ]

    mutating func cells(of line: String, _ columns: Int) -> [ShownCell] {
        var cells: [ShownCell] = []
        var rest = Substring(line)
        while let letter = rest.popFirst() {
            switch letter {
            case "\u{1B}":
                rest = rest.dropFirst()
                let parameters = rest.prefix { $0 != "m" }
                rest = rest.dropFirst(parameters.count + 1)
                take(parameters.split(separator: ";", omittingEmptySubsequences: false))
            case "\u{E}": isGraphic = true
            case "\u{F}": isGraphic = false
            default:
                let shown = isGraphic ? Self.graphics[letter] ?? letter : letter
                cells.append(ShownCell(String(shown), style))
                if Self.isWide(shown) { cells.append(ShownCell("", style)) }
            }
        }
        while cells.count < columns { cells.append(ShownCell(" ", nil)) }
        return cells
    }

    private var style: ConsoleStyle {
        ConsoleStyle(foreground: foreground, background: background, attributes)
    }

    private static func isWide(_ letter: Character) -> Bool {
        letter.unicodeScalars.contains { (0x3040...0x9FFF).contains($0.value) }
    }

    private mutating func take(_ parameters: [Substring]) {
        var rest = parameters.map { Int($0.prefix { $0 != ":" }) ?? 0 }[...]
        let marks: [Int: ConsoleAttributes] = [
            1: .bold, 2: .faint, 3: .italic, 4: .underline, 5: .blink, 7: .reverse, 9: .strike,
        ]
        while let number = rest.popFirst() {
            switch number {
            case 0: (foreground, background, attributes) = (nil, nil, [])
            case 30...37: foreground = .indexed(UInt8(number - 30))
            case 40...47: background = .indexed(UInt8(number - 40))
            case 90...97: foreground = .indexed(UInt8(number - 82))
            case 100...107: background = .indexed(UInt8(number - 92))
            case 39: foreground = nil
            case 49: background = nil
            case 38: foreground = colour(&rest)
            case 48: background = colour(&rest)
            default: if let mark = marks[number] { attributes.insert(mark) }
            }
        }
    }

    private func colour(_ rest: inout ArraySlice<Int>) -> ConsoleColour? {
        let kind = rest.popFirst()
        let numbers = rest.prefix(kind == 2 ? 3 : 1).map { UInt32($0) }
        rest = rest.dropFirst(numbers.count)
        if kind == 2, numbers.count == 3 {
            return .rgb(numbers[0] << 16 | numbers[1] << 8 | numbers[2])
        }
        return numbers.first.map { .indexed(UInt8($0)) }
    }
}
