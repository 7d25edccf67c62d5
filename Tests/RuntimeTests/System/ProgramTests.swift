// ProgramTests: programs that belong to a call, with real processes.

import Foundation
import NapkinSystem
import TestSupport
import Testing

/// A pipe with a name, which says when every process that holds it has ended.
private struct Lifeline {
    private let directory = TemporaryDirectory()
    private let reader: Child

    var path: String { directory.path + "/alive" }

    init() throws {
        try Failure.unless(mkfifo(directory.path + "/alive", 0o600) == 0, "no pipe")
        reader = try Child("/bin/cat", [directory.path + "/alive"])
    }

    /// Returns when nobody holds it any longer.
    func ends() async { _ = await reader.result() }
}

@Suite(.timeLimit(.minutes(10)))
struct ProgramTests {
    private struct Enough: Error {}

    private func sh(
        _ script: String, _ arguments: String..., environment: [String: String] = [:],
        in directory: String? = nil
    ) async throws -> (end: ProgramEnd, lines: [String]) {
        var said: [String] = []
        let end = try await runProgram(
            "sh", ["-c", script, "script"] + arguments, environment: environment, in: directory
        ) { lines in
            for try await line in lines { said.append(line) }
        }
        return (end, said)
    }

    @Test func `a program's lines come in order, from both outputs, with its status`()
        async throws
    {
        let (end, lines) = try await sh(
            #"echo out; echo err >&2; echo; printf 'cr\r\n\377\n'; printf 'no end'; exit 3"#)
        #expect(lines == ["out", "err", "", "cr", "\u{FFFD}", "no end"])
        #expect(end == .exited(3))
        #expect(try await sh("kill -9 $$").end == .signalled(9))
        #expect(try await sh(":").lines.isEmpty)
    }

    @Test func `it gets arguments, variables and a directory, and an empty input`() async throws {
        let (_, lines) = try await sh(
            #"echo "$1 $KIND"; pwd; cat; echo "$PATH""#, "a b", environment: ["KIND": "kettle"],
            in: "/")
        let path = try #require(ProcessInfo.processInfo.environment["PATH"])
        #expect(lines == ["a b kettle", "/", path])
    }

    @Test func `a line above the limit comes in pieces, and much output as it is read`()
        async throws
    {
        let limit = ProgramLines.lineBytesMax
        let long = try await sh("head -c \(2 * limit + 1) /dev/zero | tr '\\0' x; echo; echo end")
        #expect(long.lines.map(\.utf8.count) == [limit, limit, 1, 3])
        let exact = try await sh("head -c \(limit) /dev/zero | tr '\\0' x; echo")
        #expect(exact.lines.map(\.utf8.count) == [limit])
        #expect(try await sh("seq 100000").lines == (1...100_000).map(String.init))
    }

    /// The reader is never without a line, and its thread is also that of everybody else.
    @MainActor @Test func `others have their turns while a program writes without a pause`()
        async throws
    {
        var (lines, turns, turnsAtEnd) = (0, 0, 0)
        let others = Task { @MainActor in
            while !Task.isCancelled {
                await Task.yield()
                turns += 1
            }
        }
        let end = try await runProgram("sh", ["-c", "yes | head -c 1000000"]) { output in
            for try await _ in output {
                if lines == 0 { turns = 0 }
                lines += 1
            }
            turnsAtEnd = turns
        }
        others.cancel()
        #expect(end == .exited(0) && lines == 500_000)
        #expect(turnsAtEnd >= 20, "\(turnsAtEnd)")
    }

    @Test(arguments: ["no-such-program", "/nowhere/program", "/etc/passwd"])
    func `what is no program is named`(program: String) async throws {
        let error = await #expect(throws: ProgramError.self) {
            _ = try await runProgram(program) { _ in }
        }
        #expect(error?.description.contains(program) == true)
    }

    @Test func `what a program leaves behind ends with it`() async throws {
        let line = try Lifeline()
        let (end, lines) = try await sh(
            "exec 3>'\(line.path)'; (trap '' TERM HUP; sleep 600) & echo started")
        #expect(end == .exited(0) && lines == ["started"])
        await line.ends()
    }

    @Test func `a cancelled call asks the group to end, and waits for it`() async throws {
        let line = try Lifeline()
        let (started, starting) = AsyncStream.makeStream(of: Void.self)
        let script = "exec 3>'\(line.path)'; trap 'exit 7' TERM; sleep 600 & echo started; wait"
        let task = Task {
            try await runProgram("sh", ["-c", script]) { lines in
                for try await _ in lines { starting.yield() }
            }
        }
        for await _ in started { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        await line.ends()
    }

    @Test func `a group that ignores requests is killed after the grace`() async throws {
        let line = try Lifeline()
        let start = ContinuousClock.now
        await #expect(throws: Enough.self) {
            _ = try await runProgram(
                "/bin/sh",
                [
                    "-c",
                    "exec 3>'\(line.path)'; trap '' TERM; sleep 600 & echo started; wait; wait",
                ],
                grace: .milliseconds(300)
            ) { lines in
                for try await _ in lines { throw Enough() }
            }
        }
        #expect(ContinuousClock.now - start >= .milliseconds(300))
        await line.ends()
    }

    @Test func `a call that is cancelled before it starts runs nothing`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await sh("echo never")
        }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
    }
}
