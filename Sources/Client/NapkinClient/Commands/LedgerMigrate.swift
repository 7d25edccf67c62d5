// LedgerMigrate: the command that creates the tables of durable sessions in PostgreSQL, and how a
// journal's file moves into them.
//
// Isolation  confined: performing is @MainActor, and waits for the database.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

import ArgumentParser
import Glibc
import NapkinCore
import NapkinLedger
import NapkinProtocol
import NapkinTransport

struct LedgerMigrate: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate", abstract: "Creates the tables for sessions in PostgreSQL.",
        discussion: """
            Creates the schema napkin with its tables, unless they exist, and prints the name of \
            their cluster: the machines that share them. The role needs the right to create a \
            schema. `napkind --ledger` uses them then; napkind itself is not asked.

              napkin-client ledger migrate --ledger postgres:napkin
              napkind --ledger postgres:napkin
            """)

    @Option(help: ArgumentHelp("The database: postgres:SERVICE.", valueName: "store"))
    var ledger: String

    @Option(help: "The name of a new cluster. Default: one that is drawn.")
    var cluster: String?

    func perform() async throws(ClientFailure) -> Int32 {
        if let cluster, !Name.isValid(cluster) {
            throw .usage("--cluster \(cluster): a name has letters, digits, '-', '_' and '.'")
        }
        let database = try DatabaseCommands.database(ledger)
        let made = try DatabaseCommands.failing { () throws(StoreError) in
            try PostgresStore.migrate(database: database, cluster: cluster)
        }
        let state = made.isNew ? "created" : "as they should be"
        try StandardOutput.put(line: "\(ledger): the tables are \(state), cluster \(made.cluster)")
        return 0
    }
}

/// The parts of commands that use a database without napkind.
enum DatabaseCommands {
    static func database(_ ledger: String) throws(ClientFailure) -> String {
        if let objection = LedgerBackend.objection(to: ledger) { throw .usage(objection) }
        guard case .postgres(let database)? = LedgerBackend(ledger) else {
            throw .usage("--ledger needs postgres:SERVICE here")
        }
        return database
    }

    static func failing<T>(
        _ body: () throws(StoreError) -> T
    ) throws(ClientFailure) -> T {
        do throws(StoreError) {
            return try body()
        } catch {
            throw .ioError("\(error)")
        }
    }

    /// Holds the lock of the worker whose journal that is; returns `nil` if the file is not in a
    /// state directory.
    private static func workerLock(
        of path: String, _ worker: WorkerID
    ) throws(ClientFailure) -> HeldLock? {
        let end = "/ledger/\(worker.fileName).ledger"
        guard path.hasSuffix(end) else { return nil }
        let lock = "\(path.dropLast(end.count))/\(worker.fileName).lock"
        let held = try ClientFailure.ofSystem { () throws(TransportError) in
            try HeldLock(lock)
        }
        guard let held else {
            throw .tryAgain(
                "a worker of \(worker.app) runs, and has \(path): stop napkind and its workers "
                    + "first")
        }
        return held
    }

    /// A lock that can be kept in an optional.
    private final class HeldLock {
        private let lock: ProcessLock

        init?(_ path: String) throws(TransportError) {
            guard let lock = try ProcessLock.acquire(path) else { return nil }
            self.lock = lock
        }
    }

    /// Moves all sessions of a journal's file into a database.
    static func move(_ file: String, into ledger: String) throws(ClientFailure) -> Int32 {
        let database = try database(ledger)
        let path = SessionFile.absolute(file)
        let name = path.split(separator: "/").last ?? ""
        guard name.hasSuffix(".ledger"), let worker = WorkerID(fileName: String(name.dropLast(7)))
        else { throw .usage("\(file): a journal in its place is called APP.ledger") }
        guard FileIdentity(behind: path) != nil else {
            throw .noInput("\(path): there is no such file")
        }
        // Held until the file has been renamed: no worker begins with either.
        let lock = try workerLock(of: path, worker)
        defer { withExtendedLifetime(lock) {} }
        let count = try failing { () throws(StoreError) in
            let source = try SQLiteStore(path: path, durability: .machine).opened()
            let target = PostgresStore(
                database: database, journal: worker.fileName, file: path,
                address: "napkin-client, importing \(path)", durability: .machine)
            let count = try source.copySessions(to: target)
            try target.shrink()
            try source.setAside(as: path + ".imported")
            return count
        }
        try StandardOutput.put(
            line: "\(ledger): \(count) sessions of \(worker.fileName); the file is \(path).imported"
        )
        return 0
    }
}
