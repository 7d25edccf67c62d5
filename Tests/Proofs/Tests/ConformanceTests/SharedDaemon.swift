// SharedDaemon: a real napkind with the conformance app, for as long as the tests run.

import ConformanceCases
import Foundation
import NapkinFront
import NapkinProtocol
import ProofSupport

/// One daemon, and one worker process, for all cases.
@MainActor
final class SharedDaemon {
    /// The start, which suites that run side by side wait for together.
    private static var starting: Task<SharedDaemon, any Error>?
    /// For the end of the process, which may come on any thread.
    private nonisolated static let place = Workplace(
        apps: [InstalledApp(ConformanceApp.id, worker: "ConformanceWorker")])

    let pid: Int32
    var directory: String { Self.place.directory }
    var socket: String { Self.place.socket }

    /// The daemon; started when first asked for.
    static func shared() async throws -> SharedDaemon {
        if let starting { return try await starting.value }
        let task = Task { try await start() }
        starting = task
        return try await task.value
    }

    private static func start() async throws -> SharedDaemon {
        let daemon = try await place.daemon()
        atexit { SharedDaemon.place.cleanUp() }
        return SharedDaemon(pid: daemon.pid)
    }

    private init(pid: Int32) { self.pid = pid }

    private func connect() async throws -> DaemonConnection {
        try await DaemonConnection.connect(
            to: DaemonAddress(socket: socket), client: "conformance", role: .tool)
    }

    /// The process that has the sessions.
    func workerPID() async throws -> Int32 {
        let connection = try await connect()
        defer { connection.close() }
        let sessions: [SessionInfo] = try await connection.query(.sessions(app: ConformanceApp.id))
        guard let pid = sessions.first?.pid else { throw Failure("no worker") }
        return pid
    }

    /// What waits in a session of that process.
    func queues(of session: String) async throws -> SessionQueues {
        let connection = try await connect()
        defer { connection.close() }
        let trees: [SessionTree] = try await connection.query(
            .tree(app: ConformanceApp.id, session: session))
        guard let queues = trees.first?.queues else { throw Failure("no queues") }
        return queues
    }
}
