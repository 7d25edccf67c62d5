// DaemonLauncher: starts napkind and waits until it is ready.
//
// Layer      front.
// Isolation  @MainActor.

import Glibc
import NapkinTransport

/// Starts the daemon in a session of its own, with its log in the state directory.
public struct DaemonLauncher: Sendable {
    /// Seconds within which the daemon must be ready. Chosen: it takes milliseconds.
    public static let readySeconds = 10

    public var executable: String
    public var arguments: [String]
    /// Where the daemon's log goes.
    public var logPath: String

    public init(executable: String, arguments: [String], logPath: String) {
        self.executable = executable
        self.arguments = arguments
        self.logPath = logPath
    }

    /// Returns when the daemon has said on its ready descriptor that it listens.
    ///
    /// Throws `.spawnFailed` when it cannot be started, ends at once, or is not ready in time.
    @MainActor
    public func start() async throws(FrontError) {
        let log = open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else {
            throw FrontError(
                .spawnFailed,
                "cannot write the daemon's log \(logPath): \(String(cString: strerror(errno)))")
        }
        defer { Glibc.close(log) }
        var pipe: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &pipe) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { Glibc.pipe($0) }
        }
        guard made == 0 else { throw FrontError(.spawnFailed, "cannot make a pipe") }
        let (readEnd, writeEnd) = pipe
        // The child gets its copy at another number; these must not leak into it.
        _ = fcntl(readEnd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(writeEnd, F_SETFD, FD_CLOEXEC)
        defer { Glibc.close(readEnd) }
        do {
            defer { Glibc.close(writeEnd) }
            let configuration = ChildProcess.Configuration(
                executable: executable, arguments: arguments + ["--ready-fd", "3"],
                descriptors: [1: log, 2: log, 3: writeEnd], detached: true)
            _ = try ChildProcess(configuration) { _ in }
        } catch {
            throw FrontError(.spawnFailed, "cannot start \(executable): \(error)")
        }
        guard await Self.readsLine(readEnd) else {
            throw FrontError(
                .spawnFailed, "\(executable) ended before it was ready; see \(logPath)")
        }
    }

    /// Waits for a byte (ready) or the end (the daemon has ended).
    @MainActor
    private static func readsLine(_ descriptor: Int32) async -> Bool {
        var watcher: DescriptorWatcher?
        var timer: LoopTimer?
        defer {
            watcher?.cancel()
            timer?.cancel()
        }
        return await withCheckedContinuation { continuation in
            var isDone = false
            @MainActor func end(_ isReady: Bool) {
                guard !isDone else { return }
                isDone = true
                Loop.keepingResumesOnLoop { continuation.resume(returning: isReady) }
            }
            do {
                watcher = try DescriptorWatcher(descriptor) {
                    var byte: UInt8 = 0
                    end(read(descriptor, &byte, 1) == 1)
                }
            } catch {
                end(false)
            }
            timer = LoopTimer(deadline: .seconds(readySeconds)) { end(false) }
        }
    }
}
