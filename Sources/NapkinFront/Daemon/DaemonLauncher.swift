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
        let ready = try ReadyLine()
        do {
            let configuration = ChildProcess.Configuration(
                executable: executable, arguments: arguments + ["--ready-fd", "3"],
                descriptors: [1: log, 2: log, 3: ready.daemonsEnd], detached: true)
            _ = try ChildProcess(configuration) { _ in }
        } catch {
            throw FrontError(.spawnFailed, "cannot start \(executable): \(error)")
        }
        guard await ready.arrives(within: .seconds(Self.readySeconds)) else {
            throw FrontError(
                .spawnFailed, "\(executable) ended before it was ready; see \(logPath)")
        }
    }
}
