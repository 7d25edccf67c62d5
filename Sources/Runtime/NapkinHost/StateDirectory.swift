// StateDirectory: the directory of a user's napkind for locks, logs and journals, and for the files
// of apps without a home.

import Glibc
package import Logging
package import NapkinProtocol
package import NapkinTransport

package struct StateDirectory: Sendable {
    private let directory: SocketDirectory

    /// Uses the directory named on the command line, or else the default of the XDG specification.
    package init(_ chosen: String?) throws(StartError) {
        directory = try StartError.ofSystem { () throws(TransportError) in
            if let chosen { Self.private(chosen) } else { try SocketDirectory.stateDefault() }
        }
    }

    private static func `private`(_ path: String) -> SocketDirectory {
        SocketDirectory(path: path, policy: .state)
    }

    package var path: String { directory.path }

    /// Creates missing directories with mode 0700, and checks that they are ours and private.
    package func ensure() throws(StartError) { try StartError.ofSystem(directory.ensure) }

    /// The lock that makes napkind the only one for this directory.
    var daemonLock: String { path + "/napkind.lock" }

    /// The lock that a worker holds for its whole life.
    package func workerLock(_ worker: WorkerID) -> String { path + "/\(worker.fileName).lock" }

    /// The file with the locks of an app's session ids.
    package func sessionIDs(of app: String) -> String { path + "/\(app).ids" }

    /// The directory of journals, and the file of each worker's journal.
    package var journalDirectory: SocketDirectory { Self.private(path + "/ledger") }
    package func journal(of worker: WorkerID) -> String {
        path + "/ledger/\(worker.fileName).ledger"
    }

    /// The directory of the held programs of an app's sessions.
    package func programs(of app: String) -> String { path + "/programs/\(app)" }

    /// The receipts of an app's deaths, and the files that belong to them.
    package func crashFiles(of app: String) -> CrashFiles {
        CrashFiles(directory: Self.private(path + "/crash/\(app)"))
    }

    /// Returns the numbers of an app's workers that have left journals, in order.
    package func journals(of app: String) -> [Int] {
        let names = Self.marks.map { ".ledger" + $0 }.flatMap {
            DirectoryNames.of(path + "/ledger", ending: $0) ?? []
        }
        let workers = Set(names.compactMap(WorkerID.init(fileName:)))
        return workers.filter { $0.app == app }.map(\.number).sorted()
    }

    /// The suffixes of a journal's file, of its log, and of the note of a journal in PostgreSQL.
    private static let marks = ["", "-wal", "-postgres"]

    /// Returns whether there is a journal, or a log without its file, which its worker refuses.
    package static func hasJournal(at path: String) -> Bool {
        marks.contains { access(path + $0, F_OK) == 0 }
    }

    /// Returns the numbers of the living workers, by app.
    package func livingWorkers() -> [String: [Int]] {
        var workers: [String: [Int]] = [:]
        for name in DirectoryNames.of(path, ending: ".lock") ?? [] {
            guard let id = WorkerID(fileName: name), ProcessLock.isHeld(workerLock(id)) else {
                continue
            }
            workers[id.app, default: []].append(id.number)
        }
        return workers
    }

    /// Returns an existing directory for an app's files: the user's or, if that cannot be used,
    /// `apps/APP/data` or `apps/APP/cache` in the state directory; the log says why.
    package func directory(
        _ kind: String, of app: String, _ logger: Logger,
        preferring find: (String) throws(TransportError) -> SocketDirectory
    ) throws(StartError) -> String {
        do throws(TransportError) {
            let directory = try find(app)
            try directory.ensure()
            return directory.path
        } catch {
            let instead = Self.private("\(path)/apps/\(app)/\(kind)")
            logger.warning(
                "the app's directory cannot be used",
                metadata: ["reason": "\(error)", "instead": "\(instead.path)"])
            try StartError.ofSystem(instead.ensure)
            return instead.path
        }
    }
}
