// SQLiteStore: a journal's store in an SQLite file.
//
// Isolation  any thread (Mutex); meant for one at a time.
// Ownership  the file, its lock and its log `PATH-wal`, from its opening until it is released.
// Invariant  one connection, which excludes any other process; a commit is a transaction.
// Spec       Protocol/LEDGER.md

import Glibc
package import NapkinCore
import Synchronization

/// Keeps a journal in one file and its log.
///
/// Once a commit has failed, everything else fails with the same error: an fsync that failed is not
/// retried, since the bytes that it was to save may be gone, and only rereading the files shows
/// their contents. Release the store and open another.
package final class SQLiteStore: JournalStore {
    /// The log's size in a busy store. Chosen: room for some 4,000 commits of one page, and 16 MiB
    /// are written in some 10 ms.
    package static let logBytes = 16 * 1024 * 1024
    /// The log's first size, which is doubled when used up. Chosen: twice the room that a journal
    /// reserves.
    package static let firstLogBytes = 4 * 1024 * 1024

    package let path: String
    private let syncsCommits: Bool
    private let logBytes: Int
    private let isAsLeft: Bool?
    private let onRewritten: (@Sendable () -> Void)?
    /// `nil` until it is opened.
    private let tables = Mutex<SQLiteTables?>(nil)

    /// Creates a store that is not opened yet. `durability` is `.machine` or `.process`.
    ///
    /// Opening also fails if the file does not belong to this user, or if others may write to it. A
    /// full disk is no error yet.
    ///
    /// - Parameter isAsLeft: whether the files are as a worker left them at an orderly end; `nil`
    ///   if that is unknown.
    /// - Parameter onRewritten: called when the files were removed while they were open, and their
    ///   contents have been written again.
    package init(
        path: String, durability: Durability, logBytes: Int = SQLiteStore.logBytes,
        isAsLeft: Bool? = nil, onRewritten: (@Sendable () -> Void)? = nil
    ) {
        precondition(durability != .none, "nothing is kept: that needs no store")
        (self.path, self.logBytes, self.isAsLeft) = (path, logBytes, isAsLeft)
        (syncsCommits, self.onRewritten) = (durability == .machine, onRewritten)
    }

    /// Performs an operation on the tables, and opens them first if necessary.
    ///
    /// - Parameter usesNames: whether the operation uses the files' names, which must be theirs.
    private func use<T: Sendable>(
        byName usesNames: Bool = false,
        _ body: @Sendable (SQLiteTables) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        try tables.withLock { (tables) throws(StoreError) in
            if tables == nil {
                tables = try SQLiteTables(
                    path: path, syncsCommits: syncsCommits, logBytes: logBytes,
                    isAsLeft: isAsLeft)
            }
            guard var opened = tables else { preconditionFailure("it has just been opened") }
            if let failure = opened.failure { throw failure }
            if usesNames {
                let next = try opened.inPlace()
                let isRewritten = next !== opened
                (tables, opened) = (next, next)
                if isRewritten { onRewritten?() }
            }
            return try body(opened)
        }
    }

    private var isOpen: Bool { tables.withLock { $0 != nil } }

    @discardableResult
    package func open() throws(StoreError) -> StoreExtent {
        try use { (tables) throws(StoreError) in tables.extent }
    }

    package func commit(_ commit: JournalCommit) throws(StoreError) {
        try use { (tables) throws(StoreError) in try tables.commit(commit) }
    }

    package func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group] {
        try use { (tables) throws(StoreError) in
            try tables.groups(after: number, bytesMax: bytesMax)
        }
    }

    package func sessions() throws(StoreError) -> [StoredSession] {
        try use { (tables) throws(StoreError) in try tables.sessions() }
    }

    package func image(of session: SessionNumber) throws(StoreError) -> StoredImage? {
        try use { (tables) throws(StoreError) in try tables.image(of: session) }
    }

    package func dueTimes() throws(StoreError) -> [(session: SessionNumber, due: Int64?)] {
        try use { (tables) throws(StoreError) in try tables.dueTimes() }
    }

    package func schemas() throws(StoreError) -> [StoredSchema] {
        try use { (tables) throws(StoreError) in try tables.schemas() }
    }

    package func reserve(_ bytes: Int) throws(StoreError) {
        // Growing the log uses its name.
        let hasRoom = try use { (tables) throws(StoreError) in tables.hasRoom(for: bytes) }
        try use(byName: !hasRoom) { (tables) throws(StoreError) in
            try tables.reserve(bytes)
        }
    }

    package var isTidyDue: Bool { tables.withLock { $0?.isTidyDue ?? false } }

    package func tidy() throws(StoreError) {
        try use(byName: true) { (tables) throws(StoreError) in try tables.tidy() }
    }

    package func shrink() throws(StoreError) {
        guard isOpen else { return }
        try use(byName: true) { (tables) throws(StoreError) in try tables.shrink() }
    }

    package func checkOwnership() throws(StoreError) {
        guard isOpen else { return }
        try use(byName: true) { (_) throws(StoreError) in }
    }

    /// Moves the log into the file, then renames both.
    package func setAside(as name: String) throws(StoreError) {
        try use(byName: true) { (tables) throws(StoreError) in try tables.shrink() }
        for end in ["", "-wal"] {
            guard rename(path + end, name + end) == 0 else {
                throw StoreFile.failed(path + end, "renaming it")
            }
        }
        try StoreFile.syncDirectory(of: path)
    }

    package func backUp(to path: String) throws(StoreError) {
        try use { (tables) throws(StoreError) in try tables.backUp(to: path) }
    }
}
