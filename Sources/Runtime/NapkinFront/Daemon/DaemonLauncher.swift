// DaemonLauncher: starts napkind and waits until it is ready.
//
// Ownership  owns both ends of the ready pipe: closes the daemon's when it waits, its own when it
//            is released.

import Glibc
import NapkinTransport

/// Starts the daemon in a new POSIX session, with its log in the state directory. The daemon
/// inherits only an environment: its log is its only descriptor.
package struct DaemonLauncher: Sendable {
    /// Seconds within which the daemon must be ready. Chosen: it takes milliseconds.
    package static let readySeconds = 10

    package var executable: String
    package var arguments: [String]
    package var logPath: String
    /// The daemon's environment; `nil` for ours.
    package var environment: [String: String]?
    package var directory = "/"
    /// The reason why no daemon can be started; thrown on the attempt.
    package var obstacle: FrontError?

    package init(executable: String, arguments: [String], logPath: String) {
        self.executable = executable
        self.arguments = arguments
        self.logPath = logPath
    }

    /// Starts the daemon and returns when it reports on its ready descriptor that it listens.
    ///
    /// Returns false if another daemon occupies its place, because it was faster or is still
    /// shutting down. Throws `.spawnFailed` if the daemon cannot start, ends at once, or is not
    /// ready in time.
    @MainActor @discardableResult
    package func start() async throws(FrontError) -> Bool {
        if let obstacle { throw obstacle }
        let log = open(logPath, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard log >= 0 else {
            throw FrontError(
                .spawnFailed,
                "cannot write the daemon's log \(logPath): \(String(cString: strerror(errno)))")
        }
        defer { Glibc.close(log) }
        let start = lseek(log, 0, SEEK_END)
        let ready = try ReadyLine()
        let ending = try run(
            arguments + ["--ready-fd", "3"], [1: log, 2: log, 3: ready.daemonsEnd])
        if await ready.arrives(within: .seconds(Self.readySeconds)) { return true }
        guard await ending.status(within: Self.endingTime) != .exited(EX_UNAVAILABLE) else {
            return false
        }
        throw FrontError(
            .spawnFailed,
            "\(executable) ended before it was ready: \(Self.lastWords(in: log, from: start)); see "
                + logPath)
    }

    /// Checks that the program starts at all by asking for its version.
    ///
    /// Throws `.noDaemon` or `.spawnFailed`, with the program's last words, if it does not start.
    @MainActor
    package func checkProgram() async throws(FrontError) {
        if let obstacle { throw obstacle }
        guard let file = tmpfile() else {
            let reason = String(cString: strerror(errno))
            throw FrontError(.spawnFailed, "cannot create a temporary file: \(reason)")
        }
        defer { fclose(file) }
        let output = fileno(file)
        let ending = try run(["--version"], [1: output, 2: output])
        let status = await ending.status(within: .seconds(Self.readySeconds))
        guard status == .exited(0) else {
            ending.process?.kill(SIGKILL)
            let words = Self.lastWords(in: output, from: 0)
            throw FrontError(.spawnFailed, "\(executable) does not start: \(words)")
        }
    }

    @MainActor
    private func run(
        _ arguments: [String], _ descriptors: [Int32: Int32]
    ) throws(FrontError) -> Ending {
        let ending = Ending()
        do {
            let configuration = ChildProcess.Configuration(
                executable: absoluteExecutable, arguments: arguments, environment: environment,
                descriptors: descriptors, detached: true, workingDirectory: directory)
            ending.process = try ChildProcess(configuration) { ending.report($0) }
        } catch {
            throw FrontError(.spawnFailed, "cannot start \(executable): \(error.message)")
        }
        return ending
    }

    /// Returns the last line of a file from byte `start` on.
    private static func lastWords(in file: Int32, from start: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: 1024)
        let end = lseek(file, 0, SEEK_END)
        let count = max(0, pread(file, &bytes, bytes.count, max(start, end - bytes.count)))
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        return text.split(separator: "\n").last.map(String.init) ?? "it said nothing"
    }

    /// From the end of a daemon's ready line to the end of its process. Chosen: most need less.
    private static let endingTime = Duration.seconds(2)

    /// The executable's absolute path, since the daemon starts in another directory.
    private var absoluteExecutable: String {
        guard executable.contains("/"), let path = realpath(executable, nil) else {
            return executable
        }
        defer { free(path) }
        return String(cString: path)
    }

    /// The exit of the daemon's process, once it has ended.
    @MainActor
    private final class Ending {
        var process: ChildProcess?
        private var status: ChildProcess.ExitStatus?
        private var waiter: CheckedContinuation<ChildProcess.ExitStatus?, Never>?

        func report(_ status: ChildProcess.ExitStatus?) {
            self.status = status
            let waiter = waiter.take()
            Loop.keepingResumesOnLoop { waiter?.resume(returning: status) }
        }

        func status(within time: Duration) async -> ChildProcess.ExitStatus? {
            if let status { return status }
            let timer = LoopTimer(deadline: time) { self.report(nil) }
            defer { timer.cancel() }
            return await withCheckedContinuation { waiter = $0 }
        }
    }
}

/// A ready pipe: give `daemonsEnd` to a new daemon as its `--ready-fd`, then await
/// `arrives(within:)`.
@MainActor
package final class ReadyLine {
    private let ownEnd: Int32
    /// Open until the wait begins. The daemon inherits a copy under another number.
    package private(set) var daemonsEnd: Int32

    package init() throws(FrontError) {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) {
            $0.withMemoryRebound(to: Int32.self, capacity: 2) { Glibc.pipe($0) }
        }
        guard made == 0 else { throw FrontError(.spawnFailed, "cannot create a pipe") }
        (ownEnd, daemonsEnd) = ends
        // No process started meanwhile may keep a copy open, apart from the daemon.
        _ = fcntl(ownEnd, F_SETFD, FD_CLOEXEC)
        _ = fcntl(daemonsEnd, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        if daemonsEnd >= 0 { close(daemonsEnd) }
        close(ownEnd)
    }

    /// Returns whether the daemon is ready; false if it ended or did not report within `time`.
    package func arrives(within time: Duration? = nil) async -> Bool {
        closeDaemonsEnd()
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
                watcher = try DescriptorWatcher(ownEnd) { [ownEnd] in
                    var byte: UInt8 = 0
                    end(read(ownEnd, &byte, 1) == 1)
                }
            } catch {
                end(false)
            }
            if let time { timer = LoopTimer(deadline: time) { end(false) } }
        }
    }

    private func closeDaemonsEnd() {
        guard daemonsEnd >= 0 else { return }
        close(daemonsEnd)
        daemonsEnd = -1
    }
}
