// Daemon: a napkind of the benchmark's own, with a socket and a state of its own.
//
// Ownership  owns the daemon's process and its directory; ends both.

import Glibc
import NapkinCore
import NapkinFront
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinTransport

/// A napkind of the benchmark's own.
@MainActor
final class Daemon {
    /// The daemon's program, and its apps.
    enum Program {
        /// The benchmark's apps: this executable, started again as both.
        case bench
        /// The napkind at a path, with an app of a worker at another, and more in its environment.
        case napkind(String, app: String, worker: String, environment: [String: String])
    }

    let socket: String
    private let program: Program
    let directory: String
    private var process: ChildProcess?
    private var stoppers: [CheckedContinuation<Void, Never>] = []
    private var signals: [SignalWatcher] = []

    /// - Parameter parent: where its directory is made.
    init(_ program: Program = .bench, in parent: String = "/tmp") throws {
        self.program = program
        var template = Array((parent + "/napkin-bench.XXXXXX").utf8CString)
        guard let path = mkdtemp(&template) else { throw BenchError("cannot make a directory") }
        directory = String(cString: path)
        socket = directory + "/n.sock"
    }

    /// The directory of manifests.
    private var apps: String { directory + "/apps" }

    /// Writes an app's manifest, before the start.
    func install(_ app: String, _ manifest: String) throws {
        try Self.install(app, manifest, in: apps)
    }

    /// Starts the daemon for `body`, and stops it whatever comes of that.
    func run<R>(_ body: (Daemon) async throws -> R) async throws -> R {
        let result: Result<R, any Error>
        do {
            try await start()
            result = .success(try await body(self))
        } catch {
            result = .failure(error)
        }
        await stop()
        return try result.get()
    }

    /// Returns when the daemon is ready.
    func start() async throws {
        signals = try [SIGINT, SIGTERM, SIGHUP].map { number in
            try SignalWatcher(number) { [weak self] in self?.interrupted(by: number) }
        }
        let ready = try ReadyLine()
        var configuration = ChildProcess.Configuration(
            // By its path: valgrind, under which `make ratchet` runs it, has a link of its own.
            executable: OwnProgram.path ?? OwnProgram.link,
            arguments: [
                "--socket", socket, "--state-dir", directory + "/state",
                "--ready-fd", "3", "--log-level", "warning", "--apps", apps,
            ], descriptors: [3: ready.daemonsEnd])
        switch program {
        case .bench:
            configuration.arguments.insert("serve", at: 0)
            for app in [BenchApp.id, CrowdApp.id] {
                try install(app, Self.manifest(app, OwnProgram.path ?? ""))
            }
        case .napkind(let path, let app, let worker, let environment):
            try install(app, Self.manifest(app, worker))
            configuration.executable = path
            configuration.environment = OwnProgram.environment.merging(environment) { $1 }
        }
        process = try ChildProcess(configuration) { [weak self] _ in self?.ended() }
        guard await ready.arrives() else { throw BenchError("napkind did not start") }
    }

    /// Writes a manifest into a directory, which is made.
    static func install(_ app: String, _ manifest: String, in directory: String) throws {
        mkdir(directory, 0o700)
        let file = open("\(directory)/\(app).json", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(file) }
        guard write(file, manifest, manifest.utf8.count) == manifest.utf8.count else {
            throw BenchError("no manifest can be written in \(directory)")
        }
    }

    /// Returns the manifest of an app with that program.
    static func manifest(_ app: String, _ program: String) -> String {
        "{\"id\": \"\(app)\", \"worker\": {\"program\": \"\(program)\"}}"
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
        guard let pid = try await workerPIDs(of: id).first else {
            throw BenchError("the worker does not run")
        }
        return pid
    }

    /// The process ids of an app's workers.
    func workerPIDs(of id: String) async throws -> [Int32] {
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "napkin-bench", role: .tool)
        defer { connection.close() }
        let apps: [AppInfo] = try await connection.query(.apps)
        guard let app = apps.first(where: { $0.app == id }) else { return [] }
        return app.workers?.compactMap(\.pid) ?? [app.pid].compactMap(\.self)
    }

    /// What an app's one worker keeps, once the daemon has ended.
    func store(of app: String) throws -> SQLiteStore {
        let state = try StateDirectory(directory + "/state")
        return try SQLiteStore(
            path: state.journal(of: WorkerID(app: app, number: 0)), durability: .process
        ).opened()
    }

    /// Ends the daemon and removes what it left.
    func stop() async {
        await halt()
        Directory.remove(directory)
    }

    /// Ends the daemon, which may be started again.
    func halt() async {
        for signal in signals { signal.cancel() }
        signals = []
        if let process {
            process.kill(SIGTERM)
            await withCheckedContinuation { stoppers.append($0) }
        }
    }
}
