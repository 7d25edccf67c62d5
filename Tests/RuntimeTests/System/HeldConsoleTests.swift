// HeldConsoleTests: the terminal of a program that a keeper holds, with real keepers.

import NapkinCore
import TestSupport
import Testing

@testable import NapkinSystem

extension HeldField {
    fileprivate func startShell(_ script: String) async throws -> HeldProgram {
        try await start(
            script, key: "shell", environment: ["TERM": "xterm-256color"],
            terminal: TerminalSize(rows: 10, columns: 40))
    }
}

extension HeldConsole {
    init(_ program: HeldProgram) throws {
        try self.init(of: program, size: TerminalSize(rows: 10, columns: 40))
    }

    /// Returns the first screen that fits.
    fileprivate nonisolated func shows(
        _ fits: (ConsoleScreen) -> Bool
    ) async throws -> ConsoleScreen? {
        for try await screen in screens where fits(screen) { return screen }
        return nil
    }
}

@Suite(.timeLimit(.minutes(10)))
struct HeldConsoleTests {
    @Test func `what is typed reaches the program, and the next worker has the same screen`()
        async throws
    {
        let field = HeldField()
        let program = try await field.startShell(
            #"while read line; do printf '\033[32m<%s>\033[m\n' "$line"; done"#)
        let console = try HeldConsole(program)
        #expect(await console.take(.text("ribs\n")))
        let screen = try #require(try await console.shows { $0.text.contains("<ribs>") })
        let style = ConsoleStyle(foreground: .indexed(2))
        #expect(screen.rows[1].runs == [ConsoleRun("<ribs>", cells: 6, style: style)])
        let next = try HeldConsole(try #require(field.programs["shell"]))
        #expect(await next.screen().rows == screen.rows)
        #expect(await next.take(.key("Control+d")))
        #expect(try await program.end == .ended(.exited(0)))
        // Its last screen stays.
        #expect(await next.screen().rows[1] == screen.rows[1])
    }

    @Test func `the program learns its size`() async throws {
        let field = HeldField()
        let program = try await field.startShell(
            "trap 'stty size' WINCH; echo ready; while :; do read line; done")
        let console = try HeldConsole(program)
        _ = try await console.shows { $0.text.contains("ready") }
        await console.take(.resize(rows: 12, columns: 50))
        let screen = try #require(try await console.shows { $0.text.contains("12 50") })
        #expect(screen.rows.count == 12 && screen.columns == 50)
    }

    @Test func `only new questions are answered`() async throws {
        let field = HeldField()
        let program = try await field.startShell(
            #"stty raw -echo; printf 'a\033[5n'; head -c 4 >/dev/null; printf asked; exec cat -v"#)
        let console = try HeldConsole(program)
        _ = try await console.shows { $0.text.contains("asked") }
        // Another one reads the same output, and answers nothing.
        let next = try HeldConsole(try #require(field.programs["shell"]))
        #expect(await next.screen().text == "aasked" + String(repeating: "\n", count: 9))
        await next.take(.text("x"))
        let screen = try #require(try await next.shows { $0.text.contains("x") })
        #expect(screen.rows[0].text == "aaskedx")
    }

    @Test func `a flood gives at most some sixty screens a second, and all of its end`()
        async throws
    {
        let field = HeldField()
        let program = try await field.startShell("seq 200000")
        let console = try HeldConsole(program)
        var (count, last) = (0, ConsoleScreen())
        let began = ContinuousClock.now
        for try await screen in console.screens { (count, last) = (count + 1, screen) }
        let seconds = (ContinuousClock.now - began) / .seconds(1)
        #expect(last.rows[8].text == "200000")
        #expect(Double(count) <= 3 + 61 * seconds)
        #expect(last.history == ConsoleHistory.rowsMax)
    }
}
