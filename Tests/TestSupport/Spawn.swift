// Spawn: starts a process with three pipes, and waits for it; no descriptor leaks into another.

import Foundation
import Synchronization

/// A started process and our ends of its pipes.
package struct Spawned: Sendable {
    package let pid: Int32
    package let input: Int32
    package let output: Int32
    /// `nil` where the process writes to our standard error.
    let errors: Int32?

    /// One at a time: between making a descriptor and marking it, another child could inherit it.
    private static let turn = Mutex(())

    /// Runs what makes a descriptor, or a file that is executed, while no child is started.
    package static func alone<R>(_ body: () throws -> sending R) rethrows -> sending R {
        try turn.withLock { _ in try body() }
    }

    /// Starts an executable with our environment, plus `environment`.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        keepsErrors: Bool = true
    ) throws {
        self = try Self.turn.withLock { _ in
            let (input, output) = (try Self.pipe(), try Self.pipe())
            let errors = keepsErrors ? try Self.pipe() : nil
            let pid = try Self.start(path, arguments, environment) { actions in
                posix_spawn_file_actions_adddup2(&actions, input.read, 0)
                posix_spawn_file_actions_adddup2(&actions, output.write, 1)
                if let errors { posix_spawn_file_actions_adddup2(&actions, errors.write, 2) }
            }
            for end in [input.read, output.write, errors?.write] { end.map { _ = close($0) } }
            return Spawned(
                pid: pid, input: input.write, output: output.read, errors: errors?.read)
        }
    }

    private init(pid: Int32, input: Int32, output: Int32, errors: Int32?) {
        self.pid = pid
        self.input = input
        self.output = output
        self.errors = errors
    }

    /// Starts a process in a session of its own whose terminal is `terminal`; returns its id.
    package static func onTerminal(
        _ terminal: String, _ path: String, _ arguments: [String], environment: [String: String]
    ) throws -> Int32 {
        try turn.withLock { _ in
            try start(path, arguments, environment, flags: newSession) { actions in
                posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
                posix_spawn_file_actions_adddup2(&actions, 0, 1)
                posix_spawn_file_actions_adddup2(&actions, 0, 2)
            }
        }
    }

    /// POSIX_SPAWN_SETSID of spawn.h, which the Glibc module does not show.
    private static let newSession: Int32 = 0x80

    private static func start(
        _ path: String, _ arguments: [String], _ environment: [String: String], flags: Int32 = 0,
        _ arrange: (inout posix_spawn_file_actions_t) -> Void
    ) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        arrange(&actions)
        // Threads of the test runner block signals, and ignore one; a child must not start so.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var broken = sigset_t()
        sigemptyset(&broken)
        sigaddset(&broken, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &broken)
        let signals = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)
        posix_spawnattr_setflags(&attributes, Int16(signals | flags))
        let words = strings([path] + arguments)
        let all = ProcessInfo.processInfo.environment
            .merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(environment) { $1 }
        let settings = strings(all.map { "\($0.key)=\($0.value)" })
        var pid: pid_t = 0
        let error = posix_spawn(&pid, path, &actions, &attributes, words, settings)
        posix_spawnattr_destroy(&attributes)
        posix_spawn_file_actions_destroy(&actions)
        for word in words + settings { free(word) }
        guard error == 0 else { throw Failure("cannot start \(path): errno \(error)") }
        return pid
    }

    private static func pipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard Foundation.pipe(&ends) == 0 else { throw Failure("no pipe: errno \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    private static func strings(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
        texts.map { strdup($0) } + [nil]
    }

    /// Blocks until the process ends: its exit code, or the signal as a negative number.
    package static func wait(for pid: Int32) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : -signal
    }

    /// Blocks until something can be read; empty at the end.
    package static func read(_ descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65536)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        return count > 0 ? Array(buffer[..<count]) : []
    }
}
