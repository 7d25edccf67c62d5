// Child: a spawned executable: its lines as they come, its input, its end.

import Foundation
import Synchronization

/// A process that a test started. Ended when it is released.
final class Child: Sendable {
    private struct State {
        var lines: [String] = []
        var isAtEnd = false
        var status: Int32?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let pid: Int32
    private let state = Mutex(State())
    private let process: Process
    private let input: FileHandle
    private let errors = Mutex("")

    /// Starts an executable of ours with the environment, plus `environment`.
    init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        let (standardInput, output, errorOutput) = (Pipe(), Pipe(), Pipe())
        process.standardInput = standardInput
        process.standardOutput = output
        process.standardError = errorOutput
        input = standardInput.fileHandleForWriting
        try process.run()
        pid = process.processIdentifier
        read(output.fileHandleForReading) { [weak self] in self?.took($0) }
        read(errorOutput.fileHandleForReading) { [weak self] bytes in
            self?.errors.withLock { $0 += String(decoding: bytes ?? [], as: UTF8.self) }
        }
        let process = self.process
        Thread.detachNewThread { [weak self] in
            process.waitUntilExit()
            let status =
                process.terminationReason == .uncaughtSignal
                ? -process.terminationStatus : process.terminationStatus
            self?.change { $0.status = status }
        }
    }

    deinit { if process.isRunning { kill(pid, SIGKILL) } }

    // MARK: - Output

    private func read(_ handle: FileHandle, _ take: @escaping @Sendable ([UInt8]?) -> Void) {
        Thread.detachNewThread {
            while true {
                let data = handle.availableData
                guard !data.isEmpty else { break }
                take(Array(data))
            }
            take(nil)
        }
    }

    private let partial = Mutex<[UInt8]>([])

    private func took(_ bytes: [UInt8]?) {
        guard let bytes else { return change { $0.isAtEnd = true } }
        let lines = partial.withLock { partial in
            partial += bytes
            var lines: [String] = []
            while let end = partial.firstIndex(of: 0x0A) {
                lines.append(String(decoding: partial[..<end], as: UTF8.self))
                partial.removeFirst(end + 1)
            }
            return lines
        }
        change { $0.lines += lines }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = state.withLock { state in
            body(&state)
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Everything printed so far, line by line.
    var lines: [String] { state.withLock { $0.lines } }

    /// What went to standard error so far.
    var errorText: String { errors.withLock { $0 } }

    /// The first line at or after `start` that fits, with its index; throws when output ends.
    func line(
        from start: Int = 0, where fits: (String) throws -> Bool
    ) async throws -> (Int, String) {
        var next = start
        while true {
            let (lines, isAtEnd) = state.withLock { ($0.lines, $0.isAtEnd) }
            while next < lines.count {
                if try fits(lines[next]) { return (next, lines[next]) }
                next += 1
            }
            guard !isAtEnd else {
                throw Failure("pid \(pid) ended without the line; errors: \(errorText)")
            }
            let known = next
            await changed { $0.lines.count > known || $0.isAtEnd }
        }
    }

    /// The exit code, or the signal as a negative number.
    func exit() async -> Int32 {
        while true {
            if let status = state.withLock({ $0.status }) { return status }
            await changed { $0.status != nil }
        }
    }

    /// Returns after the next change, or at once when `isNow` holds already.
    private func changed(_ isNow: @Sendable (borrowing State) -> Bool) async {
        await withCheckedContinuation { continuation in
            let resumes = state.withLock { state in
                if isNow(state) { return true }
                state.waiters.append(continuation)
                return false
            }
            if resumes { continuation.resume() }
        }
    }

    // MARK: - Input

    func write(_ line: String) throws {
        try input.write(contentsOf: Data((line + "\n").utf8))
    }

    func closeInput() throws { try input.close() }

    func signal(_ number: Int32) { kill(pid, number) }
}
