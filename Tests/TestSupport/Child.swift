// Child: a spawned executable: its lines as they come, its input, its end.

import Foundation
import Synchronization

/// A process that a test started. Ended when it is released.
package final class Child: Sendable {
    private struct State: Sendable {
        var lines: [String] = []
        var isAtEnd = false
        var errors: [UInt8] = []
        var areErrorsAtEnd = false
        var status: Int32?
    }

    package let pid: Int32
    private let state = Watched(State())
    private let partial = Mutex<[UInt8]>([])
    private let input: Mutex<Int32>

    /// What is written to a child that has ended is an error, and not the end of all tests.
    private static let ignoresBrokenPipes: Void = { _ = Foundation.signal(SIGPIPE, SIG_IGN) }()

    /// Starts an executable with our environment, plus `environment`.
    package convenience init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:]
    ) throws {
        self.init(try Spawned(path, arguments, environment: environment))
    }

    package init(_ spawned: Spawned) {
        Self.ignoresBrokenPipes
        pid = spawned.pid
        input = Mutex(spawned.input)
        read(spawned.output) { [weak self] in self?.took($0) }
        if let errors = spawned.errors {
            read(errors) { [weak self] bytes in
                self?.state.change { state in
                    state.errors += bytes ?? []
                    state.areErrorsAtEnd = bytes == nil
                }
            }
        } else {
            state.change { $0.areErrorsAtEnd = true }
        }
        Thread.detachNewThread { [weak self] in
            let status = Spawned.wait(for: spawned.pid)
            self?.state.change { $0.status = status }
        }
    }

    deinit {
        if state.value.status == nil { kill(pid, SIGKILL) }
        input.withLock { if $0 >= 0 { close($0) } }
    }

    // MARK: - Output

    private func read(_ descriptor: Int32, _ take: @escaping @Sendable ([UInt8]?) -> Void) {
        Thread.detachNewThread {
            while true {
                let bytes = Spawned.read(descriptor)
                guard !bytes.isEmpty else { break }
                take(bytes)
            }
            close(descriptor)
            take(nil)
        }
    }

    private func took(_ bytes: [UInt8]?) {
        guard let bytes else { return state.change { $0.isAtEnd = true } }
        let lines = partial.withLock { partial in
            partial += bytes
            var lines: [String] = []
            while let end = partial.firstIndex(of: 0x0A) {
                lines.append(String(decoding: partial[..<end], as: UTF8.self))
                partial.removeFirst(end + 1)
            }
            return lines
        }
        state.change { $0.lines += lines }
    }

    /// Everything printed so far, line by line.
    package var lines: [String] { state.value.lines }

    /// All lines, when nobody can print there any more: neither the process nor one that it
    /// started with the same standard output.
    package func allLines() async -> [String] {
        if await !state.wait(until: \.isAtEnd) { say("the end of its output") }
        return lines
    }

    /// What went to standard error so far.
    package var errorText: String { String(decoding: state.value.errors, as: UTF8.self) }

    /// All that went to standard error, when nobody can write there any more: neither the process
    /// nor one that it started with the same standard error.
    package func allErrors() async -> String {
        if await !state.wait(until: \.areErrorsAtEnd) { say("the end of its errors") }
        return errorText
    }

    /// What a wait for it has seen when the time was over.
    private func unseen(_ what: String) -> String {
        "pid \(pid) was waited for until the time was over: \(what); it has printed: "
            + "\(lines.suffix(20)), and as errors: \(errorText)"
    }

    /// Says what a wait that cannot fail has waited for.
    private func say(_ what: String) {
        FileHandle.standardError.write(Data((unseen(what) + "\n").utf8))
    }

    /// The first line at or after `start` that fits, with its index; throws when output ends.
    package func line(
        from start: Int = 0, file: String = #fileID, line: Int = #line,
        where fits: (String) throws -> Bool
    ) async throws -> (Int, String) {
        var next = start
        while true {
            let now = state.value
            while next < now.lines.count {
                if try fits(now.lines[next]) { return (next, now.lines[next]) }
                next += 1
            }
            guard !now.isAtEnd else {
                throw Failure("pid \(pid) ended without the line; errors: \(errorText)")
            }
            let known = next
            let isThere = await state.wait { $0.lines.count > known || $0.isAtEnd }
            if !isThere { throw Failure(unseen("the line of \(file):\(line)")) }
        }
    }

    /// Returns when what went to standard error so far fits; throws when that cannot be any more.
    package func errors(
        file: String = #fileID, line: Int = #line,
        where fit: @escaping @Sendable (String) -> Bool
    ) async throws {
        let isThere = await state.wait {
            fit(String(decoding: $0.errors, as: UTF8.self)) || $0.areErrorsAtEnd
        }
        if !isThere { throw Failure(unseen("the errors of \(file):\(line)")) }
        guard fit(errorText) else { throw Failure("pid \(pid) did not say it: \(errorText)") }
    }

    /// The exit code, or the signal as a negative number; `Int32.min` when the time was over.
    package func exit() async -> Int32 {
        if await !state.wait(until: { $0.status != nil }) { say("its end") }
        return state.value.status ?? .min
    }

    /// Whether it has been waited for.
    package var hasEnded: Bool { state.value.status != nil }

    /// How it ended, and all that it has printed.
    package func result() async -> (status: Int32, lines: [String]) {
        (await exit(), await allLines())
    }

    // MARK: - Input

    package func write(_ line: String) throws {
        let bytes = Array((line + "\n").utf8)
        let written = input.withLock { Foundation.write($0, bytes, bytes.count) }
        guard written == bytes.count else {
            throw Failure("pid \(pid) takes no input; errors: \(errorText)")
        }
    }

    package func closeInput() {
        input.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }

    package func signal(_ number: Int32) { kill(pid, number) }
}
