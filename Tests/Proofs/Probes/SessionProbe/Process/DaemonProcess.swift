// DaemonProcess: a napkind of the probe's own, which is this program, started again.
//
// Ownership  owns the directory; `end()` ends the daemon and removes it.

import Glibc
import NapkinFront
import NapkinLedger
import NapkinProtocol
import NapkinTransport
import ProofSupport

/// Starts a daemon with the tally app, kills it, starts the next one, ends it.
@MainActor
final class DaemonProcess {
    let place: Workplace
    var directory: String { place.directory }
    var socket: String { place.socket }
    var address: DaemonAddress { DaemonAddress(socket: socket) }
    var pid: Int32 { process.pid }
    /// Where the daemon and its workers keep what is to survive them, if it can lose its power.
    let disk: PowerDisk?
    private var process: Child
    /// Where sessions are kept, if not in files.
    private let database: PostgresServer?

    /// Returns when the daemon is ready.
    ///
    /// - Parameters:
    ///   - directory: an empty one that somebody else cleans up, or `nil` for one in /tmp.
    ///   - apps: the apps that are installed, of this program.
    ///   - manifest: what their manifests say besides.
    ///   - hasPowerDisk: whether power cuts are to come.
    ///   - hasDatabase: whether sessions are kept in a PostgreSQL.
    init(
        in directory: String? = nil, apps: [String] = [TallyApp.id],
        manifest: (String) -> [String] = { _ in [] }, hasPowerDisk: Bool = false,
        hasDatabase: Bool = false
    ) async throws {
        let program = try Self.ownPath
        database = hasDatabase ? try PostgresServer() : nil
        var command = ["serve"]
        if let string = database?.database() {
            _ = try PostgresStore.migrate(database: string, cluster: "proof")
            command += ["--ledger", "postgres:\(string)"]
        }
        place = Workplace(
            daemon: OwnProgram.link, command: command,
            apps: apps.map { InstalledApp($0, worker: program, more: manifest($0)) }, at: directory,
            inDirectory: Scale.environment)
        disk = hasPowerDisk ? try PowerDisk(at: place.state) : nil
        process = try await Self.process(at: place)
    }

    /// The worker is this program as well.
    private static var ownPath: String {
        get throws {
            guard let path = OwnProgram.path else { throw Failure("this program has no path") }
            return path
        }
    }

    private static func process(at place: Workplace) async throws -> Child {
        try await place.daemon(["--log-level", "error"], keepsErrors: false)
    }

    /// Bytes of the heap that a process of the daemon uses, its own or a worker's.
    func heapBytes(of process: Int32) throws -> Int {
        try Scale.heapBytes(of: process, in: place)
    }

    /// Kills the daemon, and starts one where it was; returns when that is ready.
    func restart() async throws {
        process.signal(SIGKILL)
        _ = await process.exit()
        process = try await Self.process(at: place)
    }

    /// Cuts the power of the daemon, its workers and their disk; returns when there is a daemon
    /// again, and what the disk had left.
    func cutPower(seed: UInt64) async throws -> String {
        guard let disk else { throw Failure("there is no disk whose power can be cut") }
        // One that dies loses its command line first, and could still write.
        var victims = Set(others)
        let left = try disk.cut(seed: seed)
        process.signal(SIGKILL)
        _ = await process.exit()
        repeat {
            await Task.yield()
            for pid in others {
                kill(pid, SIGKILL)
                victims.insert(pid)
            }
            victims = victims.filter { !Vitals.hasEnded($0) }
        } while !victims.isEmpty
        try disk.turnOn()
        process = try await Self.process(at: place)
        return left
    }

    /// Ends the daemon and its workers in good order, and starts another daemon.
    ///
    /// - Parameter isNew: whether there is nothing on the disk any more.
    func restartInOrder(isNew: Bool = false) async throws {
        try await endInOrder()
        if isNew { try disk?.wipe() }
        process = try await Self.process(at: place)
    }

    /// Ends the daemon in good order; throws when it does not, or when something is left.
    func end() async throws {
        try await endInOrder()
        disk?.end()
        place.cleanUp()
    }

    private func endInOrder() async throws {
        var left = Set(others)
        process.signal(SIGTERM)
        let status = await process.exit()
        try Failure.unless(status == 0, "napkind ended with \(status)")
        // A worker that an earlier daemon started is nobody's child; it may take a moment more.
        let deadline = Loop.shared.now + 5000
        repeat {
            await Task.yield()
            left = left.union(others).filter { !Vitals.hasEnded($0) }
        } while !left.isEmpty && Loop.shared.now < deadline
        try Failure.unless(left.isEmpty, "the processes \(left.sorted()) are left")
    }

    /// Ends everything at once, after a violation.
    func abandon() {
        disk?.end()
        place.cleanUp()
    }

    /// Processes that work in the directory; this one may have been told of it, too.
    private var others: [Int32] {
        Vitals.processes(mentioning: directory).filter { $0 != getpid() }
    }

    // MARK: - Asking it

    /// Returns when the daemon has a worker that fronts can be sent to.
    func admits(_ app: String = TallyApp.id, _ session: String? = nil) async throws {
        let connection = try await DaemonConnection.connect(
            to: address, client: "session-probe", role: .front)
        defer { connection.close() }
        _ = try await connection.open(Open(app: app, session: session, creates: true))
    }

    func query<T: Decodable>(_ query: Query, _ type: T.Type = T.self) async throws -> T {
        let connection = try await DaemonConnection.connect(
            to: address, client: "session-probe", role: .tool)
        defer { connection.close() }
        return try await connection.query(query)
    }

    /// Of the app, as the daemon tells it.
    func app(_ id: String = TallyApp.id) async throws -> AppInfo {
        let apps: [AppInfo] = try await query(.apps)
        guard let info = apps.first(where: { $0.app == id }) else {
            throw Failure("napkind hosts no app '\(id)'")
        }
        return info
    }

    func workerPID() async throws -> Int32 {
        guard let pid = try await app().pid else { throw Failure("no worker runs") }
        return pid
    }
}
