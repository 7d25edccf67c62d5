// SQLiteStore: a journal's store in a file of SQLite.
//
// Isolation  any thread (Mutex); meant for one at a time.
// Ownership  the file, its lock and its log `PATH-wal`, until it is released.
// Invariant  one connection, which no other process can have beside it; a commit is a transaction.
// Spec       Protocol/LEDGER.md

package import NapkinCore
import Synchronization

/// Keeps a journal in one file and its log.
///
/// Once a commit has failed, everything else fails with the same error: an fsync that failed is not
/// retried, since what it was to save may be gone, and only reading the files again shows what they
/// have. Release the store and open another.
package final class SQLiteStore: JournalStore {
    /// What the log of a busy store has room for. Chosen: some 4,000 commits of one page, and 16
    /// MiB are written in some 10 ms.
    package static let logBytes = 16 * 1024 * 1024
    /// What it has room for at first; it is doubled when it has been used. Chosen: twice what a
    /// journal reserves.
    package static let firstLogBytes = 4 * 1024 * 1024

    package let path: String
    private let tables: Mutex<SQLiteTables>
    private let onRewritten: (@Sendable () -> Void)?

    /// Opens the store, or creates it. `durability` is `.machine` or `.process`.
    ///
    /// Errors: `busy` if another process or another store has it, `damaged`, `version`; `failed` if
    /// it is not a file of this user, or others may write it. A full disk is no error yet.
    ///
    /// - Parameter isAsLeft: whether the files are as a worker has left them at its end in good
    ///   order; `nil` if that is not known.
    /// - Parameter onRewritten: called when its files were removed while it was open, and all that
    ///   they had was written again.
    package init(
        path: String, durability: Durability, logBytes: Int = SQLiteStore.logBytes,
        isAsLeft: Bool? = nil, onRewritten: (@Sendable () -> Void)? = nil
    ) throws(StoreError) {
        precondition(durability != .none, "nothing is kept: that needs no store")
        (self.path, self.onRewritten) = (path, onRewritten)
        tables = Mutex(
            try SQLiteTables(
                path: path, syncsCommits: durability == .machine, logBytes: logBytes,
                isAsLeft: isAsLeft))
    }

    private func keepInPlace(_ tables: inout SQLiteTables) throws(StoreError) {
        let next = try tables.inPlace()
        guard next !== tables else { return }
        tables = next
        onRewritten?()
    }

    package var damage: String? { tables.withLock { $0.damage } }

    package var trimmed: GroupNumber { tables.withLock { $0.trimmed } }

    package var history: UInt32 { tables.withLock { $0.history } }

    package func commit(_ commit: JournalCommit) throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in try tables.commit(commit) }
    }

    package func newestGroup() throws(StoreError) -> GroupNumber {
        try tables.withLock { (tables) throws(StoreError) in try tables.newestGroup() }
    }

    package func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group] {
        try tables.withLock { (tables) throws(StoreError) in
            try tables.groups(after: number, bytesMax: bytesMax)
        }
    }

    package func sessions() throws(StoreError) -> [StoredSession] {
        try tables.withLock { (tables) throws(StoreError) in try tables.sessions() }
    }

    package func image(of session: SessionNumber) throws(StoreError) -> StoredImage? {
        try tables.withLock { (tables) throws(StoreError) in try tables.image(of: session) }
    }

    package func dues() throws(StoreError) -> [(session: SessionNumber, due: Int64?)] {
        try tables.withLock { (tables) throws(StoreError) in try tables.dues() }
    }

    package func schemas() throws(StoreError) -> [StoredSchema] {
        try tables.withLock { (tables) throws(StoreError) in try tables.schemas() }
    }

    package func reserve(_ bytes: Int) throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in
            // The log is grown by its name.
            if !tables.hasRoom(for: bytes) { try keepInPlace(&tables) }
            try tables.reserve(bytes)
        }
    }

    package func isTidyDue() -> Bool { tables.withLock { $0.isTidyDue } }

    package func tidy() throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in
            try keepInPlace(&tables)
            try tables.tidy()
        }
    }

    package func shrink() throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in
            try keepInPlace(&tables)
            try tables.shrink()
        }
    }

    package func checkPlace() throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in try keepInPlace(&tables) }
    }

    package func backUp(to path: String) throws(StoreError) {
        try tables.withLock { (tables) throws(StoreError) in try tables.backUp(to: path) }
    }
}
