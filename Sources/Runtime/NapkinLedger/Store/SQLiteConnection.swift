// SQLiteConnection: a connection to SQLite, its statements, and the interpretation of its results.
//
// Layer      ledger. All C calls to SQLite are here and in SQLiteStatement.
// Isolation  confined to the store that opened it.
// Ownership  finalizes its statements and closes the database when it is released.
// Source     sqlite.org/c3ref, wal.html; the rules that bind us are in CSQLite's shim.h

import CSQLite
import Glibc

/// An open database file that no other process can use meanwhile.
final class SQLiteConnection {
    let path: String
    private let handle: OpaquePointer
    private var prepared: [String: SQLiteStatement] = [:]
    /// The number of pages in the log after the newest commit, written by SQLite's hook.
    private let logPagesWritten: UnsafeMutablePointer<Int32>

    /// The oldest version with `STRICT` tables. Chosen: Debian 12 has 3.40, Ubuntu 22.04 has 3.37.
    private static let versionMin: Int32 = 3_037_000
    /// Milliseconds for which another process may hold the file. Chosen: a tool has read it by
    /// then, and napkind waits longer for a worker.
    private static let patience: Int32 = 1000

    init(path: String) throws(StoreError) {
        guard sqlite3_threadsafe() != 0, sqlite3_libversion_number() >= Self.versionMin else {
            let version = String(cString: sqlite3_libversion())
            throw StoreError(
                .failed, path: path, "SQLite \(version) is too old or has no threads")
        }
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(
            path, &handle,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE
                | SQLITE_OPEN_EXRESCODE, nil)
        guard let handle, result == SQLITE_OK else {
            defer { sqlite3_close(handle) }
            throw Self.error(result, handle, path, "opening it")
        }
        self.path = path
        self.handle = handle
        logPagesWritten = .allocate(capacity: 1)
        logPagesWritten.initialize(to: 0)
        try check(sqlite3_busy_timeout(handle, Self.patience), "setting it up")
        // Crashes and clean ends then leave the same files, so that there is one case to test.
        try check(napkin_turn_on(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE), "setting it up")
        try check(napkin_turn_on(handle, SQLITE_DBCONFIG_DEFENSIVE), "setting it up")
    }

    deinit {
        while let statement = sqlite3_next_stmt(handle, nil) { sqlite3_finalize(statement) }
        sqlite3_close(handle)
        logPagesWritten.deallocate()
    }

    // MARK: - Statements

    /// Returns the statement with this text, prepared once for as long as the connection lives.
    func statement(_ text: String) throws(StoreError) -> SQLiteStatement {
        if let statement = prepared[text] { return statement }
        var statement: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        try check(sqlite3_prepare_v3(handle, text, -1, flags, &statement, nil), "preparing")
        guard let statement else { throw StoreError(.failed, path: path, "no statement") }
        let made = SQLiteStatement(handle: statement, path: path)
        prepared[text] = made
        return made
    }

    /// Runs statements whose results are not needed.
    func run(_ text: String) throws(StoreError) {
        try check(sqlite3_exec(handle, text, nil, nil, nil), "running \(text)")
    }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// The number of rows that the newest statement has changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    // MARK: - The log

    /// The number of the log's pages that commits have used since the log was last restarted. The
    /// first commit of a connection finds out how many there were before.
    var logPages: Int {
        get { Int(logPagesWritten.pointee) }
        set { logPagesWritten.pointee = Int32(clamping: newValue) }
    }

    /// Counts the log's pages from now on. The hook replaces SQLite's, which would run a checkpoint
    /// in the middle of a commit.
    func countLogPages() {
        _ = sqlite3_wal_hook(
            handle,
            { counter, _, _, pages in
                counter?.assumingMemoryBound(to: Int32.self).pointee = pages
                return SQLITE_OK
            }, logPagesWritten)
    }

    /// Copies the log into the database. The next commit writes the log from its start.
    func checkpoint() throws(StoreError) {
        var (logged, copied): (Int32, Int32) = (-1, -1)
        let result = sqlite3_wal_checkpoint_v2(
            handle, nil, SQLITE_CHECKPOINT_PASSIVE, &logged, &copied)
        try check(result, "copying the log")
        guard logged == copied else {
            throw StoreError(.failed, path: path, "\(copied) of \(logged) pages of the log copied")
        }
        logPagesWritten.pointee = 0
    }

    // MARK: - The file

    /// Returns bytes of the file, without the log; zeros beyond its end.
    func bytes(at offset: Int, count: Int) throws(StoreError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let result = napkin_read(handle, &bytes, Int32(count), sqlite3_int64(offset))
        // SQLITE_IOERR_SHORT_READ, which is an expression in C.
        if result != SQLITE_IOERR | 2 << 8 { try check(result, "reading it") }
        return bytes
    }

    // MARK: - Errors

    private func check(_ result: Int32, _ doing: String) throws(StoreError) {
        guard result == SQLITE_OK else { throw Self.error(result, handle, path, doing) }
    }

    /// Returns the error for a result of SQLite, which is an extended one.
    static func error(
        _ result: Int32, _ handle: OpaquePointer?, _ path: String, _ doing: String
    ) -> StoreError {
        let code: StoreError.Code =
            switch result & 0xFF {
            case SQLITE_FULL: .full
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT: .damaged
            case SQLITE_IOERR: inputOutput(result, sqlite3_system_errno(handle))
            default: .failed
            }
        if code == .full {
            return StoreError(code, path: path, "its disk is full: free some space")
        }
        var reason = String(cString: sqlite3_errmsg(handle))
        let number = sqlite3_system_errno(handle)
        if result & 0xFF == SQLITE_IOERR || result & 0xFF == SQLITE_CANTOPEN, number != 0 {
            reason += ", " + String(cString: strerror(number))
        }
        return StoreError(code, path: path, "\(doing): \(reason) (SQLite's \(result))")
    }

    /// A failed sync is never a lack of room: the data that it was to save may be gone.
    private static func inputOutput(_ result: Int32, _ number: Int32) -> StoreError.Code {
        // SQLITE_IOERR_WRITE, _TRUNCATE, _CORRUPTFS and _SHORT_READ, which are expressions in C.
        switch result >> 8 {
        case 3, 6: number == ENOSPC || number == EDQUOT ? .full : .failed
        case 2, 33: .damaged
        default: .failed
        }
    }
}
