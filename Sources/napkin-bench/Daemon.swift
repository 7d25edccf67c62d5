// Daemon: a napkind of the benchmark's own, with a socket and a state of its own.
//
// Layer      benchmark.
// Isolation  @MainActor: the loop thread.
// Ownership  owns the daemon's process and its directory; ends both.

import Glibc
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// A napkind of the benchmark's own.
@MainActor
final class Daemon {
    /// The daemon's program, which decides what apps there are.
    enum Program {
        /// The benchmark's apps: this executable, started again.
        case bench
        /// The apps of the napkind at a path, with more in its environment.
        case napkind(String, environment: [String: String])
    }

    let socket: String
    private let program: Program
    private let directory: String
    private var process: ChildProcess?
    private var stoppers: [CheckedContinuation<Void, Never>] = []
    private var signals: [SignalWatcher] = []

    init(_ program: Program = .bench) throws {
        self.program = program
        var template = Array("/tmp/napkin-bench.XXXXXX".utf8CString)
        guard let path = mkdtemp(&template) else { throw BenchError("cannot make a directory") }
        directory = String(cString: path)
        socket = directory + "/n.sock"
    }

    /// Returns when the daemon is ready.
    func start() async throws {
        signals = try [SIGINT, SIGTERM, SIGHUP].map { number in
            try SignalWatcher(number) { [weak self] in self?.interrupted(by: number) }
        }
        let ready = try ReadyLine()
        var configuration = ChildProcess.Configuration(
            executable: OwnProgram.link,
            arguments: [
                "--socket", socket, "--state-dir", directory + "/state",
                "--ready-fd", "3", "--log-level", "warning",
            ], descriptors: [3: ready.daemonsEnd])
        switch program {
        case .bench: configuration.arguments.insert("serve", at: 0)
        case .napkind(let path, let environment):
            configuration.executable = path
            configuration.environment = OwnProgram.environment.merging(environment) { $1 }
        }
        process = try ChildProcess(configuration) { [weak self] _ in self?.ended() }
        guard await ready.arrives() else { throw BenchError("napkind did not start") }
    }

    private func ended() {
        process = nil
        Loop.keepingResumesOnLoop { for stopper in stoppers { stopper.resume() } }
        stoppers = []
    }

    /// The benchmark is told to end: nothing of it stays.
    private func interrupted(by signal: Int32) {
        Task {
            await stop()
            exit(128 + signal)
        }
    }

    /// The worker's process id.
    func workerPID(of id: String = BenchApp.id) async throws -> Int32 {
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "napkin-bench", role: .tool)
        defer { connection.close() }
        let apps: [AppInfo] = try await connection.query(.apps)
        guard let pid = apps.first(where: { $0.app == id })?.pid else {
            throw BenchError("the worker does not run")
        }
        return pid
    }

    /// Ends the daemon and removes what it left.
    func stop() async {
        for signal in signals { signal.cancel() }
        signals = []
        if let process {
            process.kill(SIGTERM)
            await withCheckedContinuation { stoppers.append($0) }
        }
        Directory.remove(directory)
    }
}
