// DaemonHouse: a real napkind with the conformance app, for as long as the tests run.

import ConformanceCases
import Foundation
import NapkinFront
import NapkinProtocol
import NapkinTransport
import Synchronization

/// One daemon, and one worker process, for all cases.
@MainActor
final class DaemonHouse {
    /// The start, which suites that run side by side wait for together.
    private static var starting: Task<DaemonHouse, any Error>?
    /// For the end of the process, which may come on any thread.
    private nonisolated static let leftovers = Mutex<(pid: Int32, directory: String)?>(nil)

    let directory: String
    let pid: Int32
    var socket: String { Self.socket(in: directory) }

    /// The daemon; started when first asked for.
    static func shared() async throws -> DaemonHouse {
        if let starting { return try await starting.value }
        let task = Task { try await start() }
        starting = task
        return try await task.value
    }

    private static func start() async throws -> DaemonHouse {
        var template = Array("/tmp/nc.XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw Missing(what: "directory") }
        let directory = String(cString: made)
        let launcher = DaemonLauncher(
            executable: try executable(),
            arguments: ["--socket", socket(in: directory), "--state-dir", directory + "/s"],
            logPath: directory + "/log")
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
        try await launcher.start()
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket(in: directory)), client: "conformance", role: .tool)
        let house = DaemonHouse(directory: directory, pid: connection.welcome.pid)
        connection.close()
        leftovers.withLock { $0 = (house.pid, directory) }
        atexit { DaemonHouse.end() }
        return house
    }

    private init(directory: String, pid: Int32) {
        self.directory = directory
        self.pid = pid
    }

    /// The process that has the sessions.
    func workerPID() async throws -> Int32 {
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "conformance", role: .tool)
        defer { connection.close() }
        let sessions: [SessionInfo] = try await connection.query(.sessions(app: ConformanceApp.id))
        guard let pid = sessions.first?.pid else { throw Missing(what: "worker") }
        return pid
    }

    /// What waits in a session of that process.
    func queues(of session: String) async throws -> SessionQueues {
        let connection = try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "conformance", role: .tool)
        defer { connection.close() }
        let trees: [SessionTree] = try await connection.query(
            .tree(app: ConformanceApp.id, session: session))
        guard let queues = trees.first?.queues else { throw Missing(what: "queues") }
        return queues
    }

    /// Drains the daemon, and removes what it left.
    private nonisolated static func end() {
        guard let (pid, directory) = leftovers.withLock({ $0 }) else { return }
        kill(pid, SIGTERM)
        // What a process that is just ending still holds does not matter.
        try? FileManager.default.removeItem(atPath: directory)
    }

    private static func socket(in directory: String) -> String { directory + "/n.sock" }

    /// The executable beside the test bundle.
    private static func executable() throws -> String {
        let bundle = [Bundle.main.bundlePath, Bundle.main.executablePath ?? ""]
        for place in CommandLine.arguments + bundle {
            var directory = URL(fileURLWithPath: place)
            while directory.path != "/" {
                directory.deleteLastPathComponent()
                let candidate = directory.appendingPathComponent("ConformanceDaemon").path
                if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
            }
        }
        throw Missing(what: "ConformanceDaemon; run `swift build` first")
    }
}
