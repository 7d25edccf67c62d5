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
        at path: String, in directory: SocketDirectory, _ app: any App.Type,
        isInProcess: Bool, _ logger: Logger
    ) throws(StartError) -> Journal? {
        guard app.durability != .none else { return nil }
        let durability = app.durability
        do {
            try directory.ensure()
            let isAsLeft = StoredNames.areCurrent(of: path)
            // From here on, the journal may change.
            StoredNames.remove(of: path)
            let store = SQLiteStore(path: path, durability: durability, isAsLeft: isAsLeft) {
                logger.error(
                    "the stored sessions were removed, and are written again",
                    metadata: ["path": "\(path)"])
            }
            let journal = try Journal(
                durability: durability, isNew: !StateDirectory.hasJournal(at: path), store)
            journal.onFailure = { error in
                // The sessions return as they were last recorded. In a process of several apps all
                // of the apps end: what this one has in memory is on their loop, too.
                let ending = isInProcess ? "the process, with all of its apps" : "the worker"
                logger.critical(
                    "what has changed cannot be kept",
                    metadata: ["ending": "\(ending)", "reason": "\(error)"])
                exit(EX_IOERR)
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
            throw StartError(
                EX_IOERR,
                "the stored sessions of \(app.id) cannot be read: \(error); what can be read of "
                    + "them is saved by `napkin-client ledger salvage --file \(path)`")
        }
    }

    /// Writes the list of stored sessions, for as long as no worker runs.
    func leaveNames(at path: String) {
        guard access(path, F_OK) == 0 else { return }
        let named = sessions.titles.map { StoredNames.Session(name: $0.name, id: $0.id) }
        StoredNames(named, due: dues.earliest, level: durability.rawValue).write(of: path)
    }
}
