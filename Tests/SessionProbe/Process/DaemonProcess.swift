// DaemonProcess: a napkind of the probe's own, which is this program, started again.
//
// Layer      test executable.
// Isolation  @MainActor: the loop thread.
// Ownership  owns the directory; `end()` ends the daemon and removes it.

import CScale
import Foundation
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// Starts a daemon with the tally app, kills it, starts the next one, ends it.
@MainActor
final class DaemonProcess {
    let directory: String
    var socket: String { directory + "/n.sock" }
    var address: DaemonAddress { DaemonAddress(socket: socket) }
    private(set) var pid: Int32 = -1
    private var process: ChildProcess?
    private var status: ChildProcess.ExitStatus?
    private var waiters: [CheckedContinuation<Void, Never>] = []

    /// Returns when the daemon is ready.
    ///
    /// - Parameter directory: an empty one that somebody else cleans up, or `nil` for one in /tmp.
    static func start(in directory: String? = nil) async throws -> DaemonProcess {
        let daemon = try DaemonProcess(directory)
        try await daemon.start()
        return daemon
    }

    private init(_ chosen: String?) throws {
        if let chosen {
            directory = chosen
        } else {
            var template = Array("/tmp/ns.XXXXXX".utf8CString)
            guard let made = mkdtemp(&template) else { throw Violation("no directory in /tmp") }
            directory = String(cString: made)
        }
        // For the daemon and its workers.
        setenv("NAPKIN_SCALE", directory + "/scale", 1)
    }

    /// Bytes of the heap that a process of the daemon uses, its own or a worker's.
    func heapBytes(of process: Int32) throws -> Int {
        let bytes = napkin_scale_read(directory + "/scale", process)
        try Violation.unless(bytes >= 0, "the process \(process) has no scale")
        return Int(bytes)
    }

    /// Starts a daemon where the last one was; returns when it is ready.
    func start() async throws {
        let ready = try ReadyLine()
        status = nil
        let process = try ChildProcess(
            .init(
                executable: "/proc/self/exe",
                arguments: [
                    "serve", "--socket", socket, "--state-dir", directory + "/s", "--ready-fd", "3",
                    "--log-level", "error",
                ], descriptors: [3: ready.daemonsEnd])
        ) { [weak self] in self?.ended($0) }
        self.process = process
        pid = process.pid
        guard await ready.arrives() else { throw Violation("napkind ended before it was ready") }
    }

    private func ended(_ status: ChildProcess.ExitStatus) {
        self.status = status
        let waiters = waiters
        self.waiters = []
        for waiter in waiters { waiter.resume() }
    }

    /// Sends a signal, and returns how the daemon ended.
    func stop(_ signal: Int32) async -> ChildProcess.ExitStatus {
        process?.kill(signal)
        if let status { return status }
        await withCheckedContinuation { waiters.append($0) }
        return status ?? .signalled(signal)
    }

    /// Ends the daemon in good order; throws when it does not, or when something is left.
    func end() async throws {
        let status = await stop(SIGTERM)
        try Violation.unless(status == .exited(0), "napkind ended with \(status)")
        // A worker that an earlier daemon started is nobody's child; it may take a moment more.
        let deadline = Loop.shared.now + 5000
        while try !others().isEmpty, Loop.shared.now < deadline { await Task.yield() }
        let left = try others()
        try Violation.unless(left.isEmpty, "the processes \(left) are left")
        try FileManager.default.removeItem(atPath: directory)
    }

    /// Ends everything at once, after a violation.
    func abandon() throws {
        for pid in try others() { kill(pid, SIGKILL) }
        try FileManager.default.removeItem(atPath: directory)
    }

    /// Processes that work in the directory; this one may have been told of it, too.
    private func others() throws -> [Int32] {
        try Vitals.processes(mentioning: [directory]).filter { $0 != getpid() }
    }

    // MARK: - Asking it

    /// Returns when the daemon has a worker that fronts can be sent to.
    func admits() async throws {
        let connection = try await DaemonConnection.connect(
            to: address, client: "session-probe", role: .front)
        defer { connection.close() }
        _ = try await connection.open(Open(app: TallyApp.id, session: nil, creates: true))
    }

    func query<T: Decodable>(_ query: Query, _ type: T.Type = T.self) async throws -> T {
        let connection = try await DaemonConnection.connect(
            to: address, client: "session-probe", role: .tool)
        defer { connection.close() }
        return try await connection.query(query)
    }

    /// Of the app, as the daemon tells it.
    func app() async throws -> AppInfo {
        let apps: [AppInfo] = try await query(.apps)
        guard let app = apps.first else { throw Violation("napkind hosts no app") }
        return app
    }

    func workerPID() async throws -> Int32 {
        guard let pid = try await app().pid else { throw Violation("no worker runs") }
        return pid
    }
}
