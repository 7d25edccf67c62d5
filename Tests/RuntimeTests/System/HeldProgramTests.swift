// HeldProgramTests: programs that a keeper holds, with real keepers.

import Foundation
import NapkinCore
import NapkinSystem
import NapkinTransport
import TestSupport
import Testing

/// The held programs of a session whose worker may come and go.
final class HeldField {
    private let directory = TemporaryDirectory()

    /// What the next worker finds.
    var programs: HeldPrograms {
        HeldPrograms(
            of: SessionContext(
                name: "held", id: "held", dataDirectory: directory.path,
                cacheDirectory: directory.path))
    }

    func start(
        _ script: String, key: String = "build", environment: [String: String] = [:],
        terminal: TerminalSize? = nil, keeping bytes: Int = HeldPrograms.outputBytes
    ) async throws -> HeldProgram {
        try await programs.start(
            key, "sh", ["-c", script], environment: environment, terminal: terminal,
            keeping: bytes)
    }

    func facts(_ key: String = "build") -> HeldFacts? {
        HeldFiles("\(directory.path)/programs/held.held/\(key).held")?.facts()
    }

    deinit {
        for key in programs.keys { programs[key]?.terminate(grace: .zero) }
    }
}

extension HeldProgram {
    fileprivate var text: [String] {
        get async throws {
            var all: [String] = []
            for try await line in lines() { all.append(line.text) }
            return all
        }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct HeldProgramTests {
    @Test func `a program's lines and end are there for whoever asks, when it runs or later`()
        async throws
    {
        let field = HeldField()
        let program = try await field.start("echo out; echo err >&2; printf 'no end'; exit 3")
        #expect(try await program.text == ["out", "err", "no end"])
        #expect(try await program.end == .ended(.exited(3)))
        let again = try #require(field.programs["build"])
        #expect(try await again.text == ["out", "err", "no end"])
        #expect(again.currentEnd == .ended(.exited(3)))
        #expect(field.programs.keys == ["build"])
        field.programs.remove("build")
        #expect(field.programs["build"] == nil && field.programs.keys.isEmpty)
        #expect(again.currentEnd == .removed)
        let killed = try await field.start("kill -9 $$")
        #expect(try await killed.end == .ended(.signalled(9)))
    }

    @Test func `who reads a program that prints without a pause comes to an end`() async throws {
        let field = HeldField()
        let program = try await field.start("exec yes")
        for try await piece in program.output() where !piece.bytes.isEmpty { break }
        var left: [UInt64] = []
        // What is overwritten before it is read does not come.
        for try await piece in program.output(waits: false) { left.append(piece.rest) }
        #expect(left == left.sorted(by: >))
        let reader = Task { for try await _ in program.output() {} }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        program.signal(SIGKILL)
        #expect(try await program.end == .ended(.signalled(SIGKILL)))
        left = []
        for try await piece in program.output(waits: false) { left.append(piece.rest) }
        #expect(left.last == 0 && left == left.sorted(by: >))
        let size = TerminalSize(rows: 24, columns: 80)
        let terminal = try await field.start("exec yes", key: "terminal", terminal: size)
        let console = try HeldConsole(of: terminal, size: size)
        _ = await console.screen()
        let viewer = Task { for try await _ in console.screens {} }
        viewer.cancel()
        await #expect(throws: CancellationError.self) { try await viewer.value }
    }

    @Test func `a reader goes on at an offset, and no line comes twice`() async throws {
        let field = HeldField()
        let program = try await field.start("seq 10000")
        var (seen, offset) = ([String](), UInt64(0))
        while seen.count < 10_000 {
            // Each round is a worker that comes back.
            for try await line in program.lines(from: offset).prefix(777) {
                #expect(line.offset == offset)
                seen.append(line.text)
                offset = line.end
            }
        }
        #expect(seen == (1...10_000).map(String.init))
        #expect(try await program.end == .ended(.exited(0)))
    }

    @Test func `of much output the newest is kept, and the gap is told`() async throws {
        let field = HeldField()
        let program = try await field.start("seq 200000", keeping: 100_000)
        #expect(try await program.end == .ended(.exited(0)))
        var lines: [HeldLines.Line] = []
        for try await line in program.lines() { lines.append(line) }
        #expect(lines.last?.text == "200000" && lines.first?.offset ?? 0 > 1_000_000)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.end == $1.offset })
        let kept = lines.reduce(0) { $0 + $1.text.utf8.count + 1 }
        #expect((99_000...100_000).contains(kept))
    }

    @Test func `input reaches it, and its end does`() async throws {
        let field = HeldField()
        let program = try await field.start("cat; echo end")
        #expect(program.write(Array("one\n".utf8)) == 4)
        program.closeInput()
        #expect(try await program.text == ["one", "end"])
        #expect(program.write([1]) == 0)
    }

    @Test func `a terminal has a size that changes, and Ctrl-D ends its input`() async throws {
        let field = HeldField()
        let script = "stty -echo; stty size; read go; stty size; cat; tty -s && echo terminal"
        let program = try await field.start(script, terminal: TerminalSize(rows: 24, columns: 80))
        var lines: [String] = []
        for try await line in program.lines() {
            lines.append(line.text)
            if lines.count == 1 {
                program.resize(to: TerminalSize(rows: 30, columns: 100))
                #expect(program.write(Array("go\n".utf8)) == 3)
            }
            if lines.count == 2 { program.closeInput() }
        }
        #expect(lines == ["24 80", "30 100", "terminal"])
    }

    @Test func `it is asked to end, and killed after the time`() async throws {
        let field = HeldField()
        let rest = "echo up; sleep 600 & wait"
        let polite = try await field.start("trap 'exit 7' TERM; \(rest)", key: "a")
        let stubborn = try await field.start("trap '' TERM; \(rest)", key: "b")
        for program in [polite, stubborn] {
            for try await line in program.lines() where line.text == "up" { break }
            program.terminate(grace: .milliseconds(100))
        }
        #expect(try await polite.end == .ended(.exited(7)))
        #expect(try await stubborn.end == .ended(.signalled(9)))
        let stopped = try await field.start("echo up; exec sleep 600", key: "c")
        for try await line in stopped.lines() where line.text == "up" { break }
        stopped.signal(SIGSTOP)
        stopped.terminate()
        #expect(try await stopped.end == .ended(.signalled(SIGTERM)))
    }

    @Test func `a shell's jobs, which are groups of their own, get signals as well`() async throws {
        let field = HeldField()
        let program = try await field.start(
            """
            trap 'wait $!; exit 7' TERM; set -m
            (trap 'echo job; exit' TERM; echo up; while :; do :; done) & wait $!
            """, terminal: TerminalSize(rows: 24, columns: 80))
        for try await line in program.lines() where line.text == "up" { break }
        program.signal(SIGSTOP)
        program.terminate(grace: .seconds(30))
        #expect(try await program.end == .ended(.exited(7)))
        #expect(try await program.text == ["up", "job"])
    }

    @Test func `a killed keeper hangs its program up, and that is named`() async throws {
        for terminal in [nil, TerminalSize(rows: 24, columns: 80)] {
            let field = HeldField()
            let mark = TemporaryDirectory()
            let program = try await field.start(
                "trap 'echo hup >\(mark.path)/hup; exit' HUP; echo up; sleep 600 & wait",
                terminal: terminal)
            for try await line in program.lines() where line.text == "up" { break }
            let facts = try #require(field.facts())
            kill(facts.keeper, SIGKILL)
            #expect(try await program.end == .keeperKilled)
            #expect(field.programs["build"]?.currentEnd == .keeperKilled)
            // The program's own process has ended, or is about to.
            while ProcessStatus(of: facts.program)?.isDead == false {
                await Task.yield()
            }
            #expect(FileManager.default.fileExists(atPath: mark.path + "/hup"))
            _ = try await field.start("true")
        }
    }

    @Test func `a keeper that is stopped holds its program up, and loses nothing`() async throws {
        let field = HeldField()
        let program = try await field.start("echo up; read go; seq 100000")
        for try await line in program.lines() where line.text == "up" { break }
        let keeper = try #require(field.facts()).keeper
        kill(keeper, SIGSTOP)
        #expect(program.write(Array("go\n".utf8)) == 3)
        kill(keeper, SIGCONT)
        #expect(try await program.text == ["up"] + (1...100_000).map(String.init))
    }

    @Test func `what a starter did not finish is no program`() async throws {
        let field = HeldField()
        _ = try await field.start("true").end
        let error = await #expect(throws: ProgramError.self) {
            _ = try await field.programs.start("other", "/nowhere/program")
        }
        #expect(error?.description.contains("/nowhere/program") == true)
        let lost = await #expect(throws: ProgramError.self) {
            _ = try await field.programs.start("other", "true", in: "/nowhere")
        }
        #expect(lost?.reason.contains("/nowhere") == true)
        #expect(field.programs.keys == ["build"])
        for key in ["", ".hidden", "a/b", "..", String(repeating: "k", count: 65)] {
            await #expect(throws: ProgramError.self) {
                _ = try await field.programs.start(key, "true")
            }
            #expect(field.programs[key] == nil)
        }
    }

    @Test func `a key has one program that runs`() async throws {
        let field = HeldField()
        let program = try await field.start("echo up; exec sleep 600")
        for try await line in program.lines() where line.text == "up" { break }
        let error = await #expect(throws: ProgramError.self) { _ = try await field.start("true") }
        #expect(error?.reason.contains("still runs") == true)
        field.programs.remove("build")
        #expect(program.currentEnd == nil)
        program.terminate()
        #expect(try await program.end == .ended(.signalled(SIGTERM)))
    }

    @Test func `a hundred at once end, each with its own output`() async throws {
        let field = HeldField()
        for number in 0..<100 {
            _ = try await field.start("seq \(number) 1000; exit \(number)", key: "p\(number)")
        }
        for number in 0..<100 {
            let program = try #require(field.programs["p\(number)"])
            #expect(try await program.end == .ended(.exited(Int32(number))))
            #expect(try await program.text.first == "\(number)")
        }
    }

    @Test func `a keeper at rest has little memory`() async throws {
        let field = HeldField()
        let program = try await field.start("echo up; exec sleep 600")
        for try await line in program.lines() where line.text == "up" { break }
        let keeper = try #require(field.facts()).keeper
        let rollup = try String(contentsOfFile: "/proc/\(keeper)/smaps_rollup", encoding: .utf8)
        let dirty = rollup.split(separator: "\n").first { $0.hasPrefix("Private_Dirty:") }
        let kilobytes = dirty?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        // The installed program has less: nothing of Swift is linked to it.
        #expect(try #require(kilobytes) < 1024)
    }
}
