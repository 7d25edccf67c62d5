// SQLiteStatement: a prepared statement, run with values.
//
// Isolation  value; used where its connection is.
// Ownership  the connection finalizes it.
// Source     sqlite.org/c3ref/stmt.html

import CSQLite

/// A value for a parameter of a statement.
enum SQLiteValue {
    case integer(UInt64)
    case text(String)
    case blob([UInt8])
}

struct SQLiteStatement {
    let handle: OpaquePointer
    let path: String

    /// Runs the statement to its end, without rows.
    func run(_ values: SQLiteValue...) throws(StoreError) {
        try rows(values) { (_) throws(StoreError) in false }
    }

    /// Runs the statement, and passes each row to `take` until `take` returns `false`.
    func rows(
        _ values: [SQLiteValue], _ take: (SQLiteRow) throws(StoreError) -> Bool
    ) throws(StoreError) {
        // A statement that is not reset keeps its transaction open, and the log could not restart.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1)) }
        while true {
            let result = sqlite3_step(handle)
            guard result == SQLITE_ROW else {
                if result == SQLITE_DONE { return }
                throw error(result, "running \(text)")
            }
            guard try take(SQLiteRow(statement: self)) else { return }
        }
    }

    private func bind(_ value: SQLiteValue, _ index: Int32) throws(StoreError) {
        let result =
            switch value {
            case .integer(let number):
                // Numbers count from 1: no journal reaches those that SQLite's sign bit excludes.
                sqlite3_bind_int64(handle, index, Int64(number))
            case .text(var text):
                text.withUTF8 { bytes in
                    bytes.withMemoryRebound(to: CChar.self) {
                        napkin_bind_text(handle, index, $0.baseAddress, UInt64($0.count))
                    }
                }
            case .blob(let bytes):
                bytes.withUnsafeBytes {
                    napkin_bind_blob(handle, index, $0.baseAddress, UInt64($0.count))
                }
            }
        guard result == SQLITE_OK else { throw error(result, "binding for \(text)") }
    }

    private var text: String { String(cString: sqlite3_sql(handle)) }

    private func error(_ result: Int32, _ doing: String) -> StoreError {
        SQLiteConnection.error(result, sqlite3_db_handle(handle), path, doing)
    }
}

/// The row at which a statement stands, until its next step.
struct SQLiteRow {
    fileprivate let statement: SQLiteStatement

    /// Errors: `damaged` if the column has no number, or a negative one.
    func integer(_ column: Int32) throws(StoreError) -> UInt64 {
        guard sqlite3_column_type(statement.handle, column) == SQLITE_INTEGER,
            let number = UInt64(exactly: sqlite3_column_int64(statement.handle, column))
        else { throw unexpected(column) }
        return number
    }

    func text(_ column: Int32) throws(StoreError) -> String {
        guard sqlite3_column_type(statement.handle, column) == SQLITE_TEXT,
            let start = sqlite3_column_text(statement.handle, column)
        else { throw unexpected(column) }
        let count = Int(sqlite3_column_bytes(statement.handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func blob(_ column: Int32) throws(StoreError) -> [UInt8] {
        guard sqlite3_column_type(statement.handle, column) == SQLITE_BLOB else {
            throw unexpected(column)
        }
        // NULL for an empty one.
        let start = sqlite3_column_blob(statement.handle, column)
        let count = Int(sqlite3_column_bytes(statement.handle, column))
        return Array(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    private func unexpected(_ column: Int32) -> StoreError {
        let name = sqlite3_column_name(statement.handle, column).map { String(cString: $0) }
        return StoreError(
            .damaged, path: statement.path, "\(name ?? "a column") is of another kind")
    }
}
