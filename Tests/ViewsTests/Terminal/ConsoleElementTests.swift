// ConsoleElementTests: a program's terminal in cells, its keys, and screens that nobody should
// send.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinElements
@testable import NapkinTerminal

@Suite struct ConsoleElementTests {
    /// Notes what is sent, and resizes as a program would.
    private final class Noted {
        var inputs: [ConsoleInput] = []
        let screen: Kept<ConsoleScreen>

        init(_ screen: ConsoleScreen) { self.screen = Kept(screen) }
    }

    private func screen(rows: Int = 20, columns: Int = 70) -> ConsoleScreen {
        var screen = ConsoleScreen(rows: rows, columns: columns)
        let red = ConsoleStyle(foreground: .indexed(1), .bold)
        screen.rows[0] = ConsoleRow([
            ConsoleRun("$ ", cells: 2), ConsoleRun("make", cells: 4, style: red),
            ConsoleRun("漢字", cells: 4), ConsoleRun(" end", cells: 4),
        ])
        screen.rows[rows - 1] = ConsoleRow([ConsoleRun("the last row", cells: 12)])
        screen.cursor = ConsoleCursor(row: 0, column: 14)
        return screen
    }

    private func stage(_ noted: Noted, _ size: ScreenSize = goldenSizes[0]) -> Stage {
        let stage = Stage(size)
        stage.mounted.mount(
            "a.view",
            view: Made {
                Console(noted.screen.value, label: "Build") { noted.inputs.append($0) }
                Button("Back") {}.keyboardShortcut("b")
            })
        return stage
    }

    @Test(arguments: goldenSizes)
    func `a console is drawn as the program draws itself`(size: ScreenSize) throws {
        let golden = Golden("console", size)
        let noted = Noted(screen())
        let stage = stage(noted, size)
        golden.take("the top", stage)
        noted.screen.value.cursor = ConsoleCursor(row: 19, column: 12)
        golden.take("the cursor stays in sight", stage)
        stage.press(.leavesConsole)
        golden.take("left", stage)
        try golden.check()
    }

    @Test func `with the focus every key but one is the program's`() {
        let noted = Noted(screen())
        let stage = stage(noted)
        _ = stage.text
        #expect(stage.screen.takesAllKeys)
        noted.inputs = []
        noted.screen.value = screen(rows: 21, columns: 80)
        stage.press("q", .control("c"), .escape, .tab, .backTab, .up, .control("l"), "b", "?")
        let keys: [ConsoleInput] = noted.inputs.filter { if case .key = $0 { true } else { false } }
        #expect(
            keys
                == [
                    "q", "Control+c", "Escape", "Tab", "Shift+Tab", "ArrowUp", "Control+l", "b",
                    "?",
                ]
                .map { .key($0) })
        #expect(stage.quits == 0)
        stage.paste("two\nlines")
        #expect(noted.inputs.last == .paste("two\nlines"))
        // An editor would insert what it is told has been pasted.
        stage.burst(String(repeating: "j", count: 40))
        #expect(noted.inputs.last == .text(String(repeating: "j", count: 40)))
        stage.press(.leavesConsole)
        _ = stage.text
        #expect(!stage.screen.takesAllKeys)
        stage.press(.pageUp)
        #expect(noted.inputs.last == .scroll(lines: -10))
        stage.press(.leavesConsole)
        _ = stage.text
        #expect(stage.screen.takesAllKeys)
        stage.press(.leavesConsole, "/")
        stage.type("needle")
        stage.press(.enter)
        #expect(noted.inputs.last == .find("needle"))
    }

    @Test func `the program gets the room that the person has, and again when another had less`() {
        let noted = Noted(screen())
        let stage = stage(noted)
        _ = stage.text
        let room = noted.inputs.first
        guard case .resize(let rows, let columns)? = room else {
            Issue.record("no size was sent: \(noted.inputs)")
            return
        }
        #expect(columns == 80 && rows > 15)
        noted.screen.value = screen(rows: rows, columns: columns)
        _ = stage.text
        noted.inputs = []
        stage.press("a")
        #expect(noted.inputs == [.key("a")])
        noted.screen.value = screen(rows: 10, columns: 30)
        noted.inputs = []
        stage.press("a")
        #expect(noted.inputs == [.resize(rows: rows, columns: columns), .key("a")])
        stage.click("make")
        #expect(noted.inputs.last == .click(row: 0, column: 2))
        stage.wheel(over: "make", lines: -3)
        #expect(noted.inputs.last == .wheel(row: 0, column: 2, lines: -3))
    }

    @Test func `it is perceived by its label, its size and its text`() {
        let console = ViewStage(Console(screen(), label: "Build") { _ in })
        #expect(console.tree().contains(#"console "Build" 20 × 70"#))
        #expect(console.elements(role: .console)[0].value?.hasPrefix("$ make漢字 end\n") == true)
    }

    @Test(arguments: 0..<20)
    func `whatever a worker presents, every line fits, and nothing traps`(seed: UInt64) {
        var random = Randomness(seed: seed)
        func number() -> Int {
            [0, 1, -1, 5, 80, 3000, .max, .min, .max - 1][random.below(9)]
        }
        let texts = ["", "a", "漢", "\u{1B}[2J", "\u{202E}", "e\u{301}\u{301}", "👩‍👩‍👧"]
        for _ in 0..<20 {
            var screen = ConsoleScreen(rows: random.below(40), columns: 10)
            screen.columns = number()
            for row in screen.rows.indices {
                screen.rows[row].runs = (0..<random.below(5)).map { _ in
                    let text = String(repeating: texts[random.below(7)], count: random.below(90))
                    return ConsoleRun(text, cells: random.percent(50) ? text.count : number())
                }
            }
            screen.cursor = ConsoleCursor(row: number(), column: number())
            (screen.scrolled, screen.history) = (number(), number())
            let size = ScreenSize(width: 20 + random.below(80), height: 3 + random.below(30))
            let stage = stage(Noted(screen), size)
            stage.press("a", .leavesConsole, .pageUp, .pageDown)
            for line in stage.page?.lines ?? [] { #expect(line.cells <= size.width) }
        }
    }
}
