// StoreOrigin: identifies the file that a ledger was last written to, and its history.
//
// Isolation  value; read and written on the store's connection.
// Invariant  a store that may lack acknowledged data gets a new history.
// Spec       Protocol/LEDGER.md, "Histories"

import CSQLite
import Glibc
import NapkinTransport

/// The place where a store was last opened, and its history.
struct StoreOrigin: Equatable {
    static let table = (
        name: "origin",
        text: "CREATE TABLE origin(inode INTEGER NOT NULL, birth INTEGER NOT NULL, "
            + "boot INTEGER NOT NULL, history INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT"
    )

    /// The file itself: its inode and its birth time, since an inode is reused.
    private let inode, birth: UInt64
    /// The id of the system's boot; it differs after a power cut.
    var boot: UInt64
    /// A random number; 0 in a store that was never found to be older.
    let history: UInt32

    /// Identifies the open file. It continues its history, or begins a new one if it may lack data
    /// that was acknowledged.
    ///
    /// - Parameters:
    ///   - isExpected: whether the file has the table from before.
    ///   - isAsLeft: whether the files are as a worker left them at an orderly end; `nil` if that
    ///     is unknown.
    init(
        of connection: SQLiteConnection, isExpected: Bool, isAsLeft: Bool?, syncsCommits: Bool
    ) throws(StoreError) {
        var status = stat()
        guard lstat(connection.path, &status) == 0 else {
            throw StoreError(.failed, path: connection.path, "it is not there any more")
        }
        let inode = Self.number(UInt64(status.st_ino))
        let birth = Self.number(napkin_birth(connection.path))
        let boot = Self.bootNumber
        let former = try Self.stored(on: connection)
        let isSame =
            isAsLeft == true
            || former.map { $0.inode == inode && $0.birth == birth } ?? !isExpected
        // Without syncs, a reboot may have lost acknowledged commits, unless the worker ended in
        // good order.
        let isWhole = syncsCommits || isAsLeft == true || former?.boot ?? boot == boot
        let goesOn = isSame && isWhole && isAsLeft != false
        self.init(
            inode: inode, birth: birth, boot: boot,
            history: goesOn ? former?.history ?? 0 : .random(in: 1..<(.max)))
    }

    private init(inode: UInt64, birth: UInt64, boot: UInt64, history: UInt32) {
        (self.inode, self.birth, self.boot, self.history) = (inode, birth, boot, history)
    }

    /// The part of a number that SQLite's sign bit leaves.
    private static func number(_ number: UInt64) -> UInt64 { number & UInt64(Int64.max) }

    private static var bootNumber: UInt64 {
        let id = Array(ProcessStatus.boot.utf8)
        return id.count == 36 ? UInt64(id.withUnsafeBytes { CRC32C.of($0) }) : 0
    }

    private var numbers: [UInt64] { [inode, birth, boot, UInt64(history)] }

    private var checksum: UInt64 { CRC32C.of(numbers: numbers) }

    /// Returns the stored origin; `nil` if there is none, or an invalid one.
    static func stored(on connection: SQLiteConnection) throws(StoreError) -> StoreOrigin? {
        var found: [StoreOrigin] = []
        let rows = try connection.statement(
            "SELECT inode, birth, boot, history, checksum FROM origin LIMIT 2")
        try rows.rows([]) { row throws(StoreError) in
            let origin = StoreOrigin(
                inode: try row.integer(0), birth: try row.integer(1), boot: try row.integer(2),
                history: UInt32(truncatingIfNeeded: try row.integer(3)))
            if try row.integer(4) == origin.checksum { found.append(origin) }
            return true
        }
        return found.count == 1 ? found[0] : nil
    }

    /// Replaces the stored origin. Call it in a transaction.
    func write(to connection: SQLiteConnection) throws(StoreError) {
        guard try Self.stored(on: connection) != self else { return }
        try connection.run("DELETE FROM origin")
        let values = (numbers + [checksum]).map(String.init).joined(separator: ", ")
        try connection.run("INSERT INTO origin VALUES(\(values))")
    }
}
