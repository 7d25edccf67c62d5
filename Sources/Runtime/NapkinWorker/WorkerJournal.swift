// WorkerJournal: opens a worker's journal, and leaves a list of its sessions beside it.
//
// Spec       Protocol/LEDGER.md, "Names"

import Glibc
import Logging
import NapkinCore
import NapkinHost
import NapkinLedger
import NapkinProtocol
import NapkinTransport

extension Journal {
    /// Opens a worker's journal; `nil` if the app stores nothing.
    static func opened(
        at path: String, of worker: WorkerID, in directory: SocketDirectory, _ app: any App.Type,
        _ options: WorkerOptions, isInProcess: Bool, _ logger: Logger
    ) throws(StartError) -> Journal? {
        guard app.durability != .none else { return nil }
        let durability = app.durability
        var advice = ""
        do {
            try directory.ensure()
            let isAsLeft = StoredNames.areCurrent(of: path)
            let store: any JournalStore
            var isNew = false
            switch options.ledger {
            case .files:
                try refuseOther(
                    PostgresStore.hasNote(of: path), path,
                    "give --ledger postgres:…, or remove \(path)-postgres if they are files again")
                advice =
                    "; what can be read of them is saved by "
                    + "`napkin-client ledger salvage --file \(path)`"
                isNew = !StateDirectory.hasJournal(at: path)
                store = SQLiteStore(path: path, durability: durability, isAsLeft: isAsLeft) {
                    logger.error(
                        "the stored sessions were removed, and are written again",
                        metadata: ["path": "\(path)"])
                    // `doctor` reports it until somebody removes that file; the log also has it.
                    _ = WholeFile.write([], to: "\(path).rewritten", isSynced: false)
                }
            case .postgres(let database):
                try refuseOther(
                    access(path, F_OK) == 0, path,
                    "`napkin-client ledger import \(path) --ledger \(options.ledger)` moves them")
                store = PostgresStore(
                    database: database, journal: worker.fileName, file: path,
                    address: options.machine ?? "\(HostOptions.hostName):\(options.stateDirectory)",
                    durability: durability, waitsForOwner: options.machine == nil)
            }
            // From here on, the journal may change.
            StoredNames.remove(of: path)
            let journal = try Journal(durability: durability, isNew: isNew, store)
            journal.onFailure = { error in
                // The sessions return as they were last recorded. In a process of several apps, all
                // of the apps end, since the state of this one in memory is on their loop.
                let ending = isInProcess ? "the process, with all of its apps" : "the worker"
                logger.critical(
                    "what has changed cannot be kept",
                    metadata: ["ending": "\(ending)", "reason": "\(error)"])
                let isLost = (error as? StoreError)?.code == .takenOver
                exit(isLost ? WorkerOptions.elsewhereStatus : EX_IOERR)
            }
            if let damage = journal.damage {
                logger.error("what was stored last is missing", metadata: ["reason": "\(damage)"])
            }
            for (name, reason) in journal.damaged {
                logger.error(
                    "session not restored",
                    metadata: ["session.id": "\(name)", "reason": "\(reason)"])
            }
            return journal
        } catch {
            let code = (error as? StoreError)?.code
            let isElsewhere = options.machine != nil && (code == .busy || code == .takenOver)
            throw StartError(
                isElsewhere ? WorkerOptions.elsewhereStatus : EX_IOERR,
                "the stored sessions of \(app.id) cannot be read: \(error)\(advice)")
        }
    }

    /// Refuses to begin an empty store while another kind of store has the sessions.
    private static func refuseOther(
        _ exists: Bool, _ path: String, _ advice: String
    ) throws(StoreError) {
        guard exists else { return }
        throw StoreError(.failed, path: path, "they are in another kind of store: \(advice)")
    }

    /// Writes the list of stored sessions, for the time in which no worker runs. Writes none for a
    /// database, where another machine may change the sessions meanwhile.
    func leaveNames(at path: String, in backend: LedgerBackend) {
        guard backend == .files, access(path, F_OK) == 0 else { return }
        let named = sessions.titles.map { StoredNames.Session(name: $0.name, id: $0.id) }
        StoredNames(named, due: scheduler.earliest, level: durability.rawValue).write(of: path)
    }
}
