// PostgresConnection: a connection to PostgreSQL, its prepared statements, and the interpretation
// of its results.
//
// Layer      ledger. All C calls to libpq are here.
// Isolation  confined to the store that opened it. Every call may wait for the server, but no
//            longer than `silence` without a byte.
// Ownership  closes the connection when it is released.
// Source     postgresql.org/docs/15: libpq; the rules that bind us are in CPostgres's shim.h

import CPostgres
import Glibc

/// A value for a parameter of a statement. Arrays are columns for `unnest`.
package enum PostgresValue {
    case number(UInt64)
    case text(String)
    case bytes([UInt8])
    case numbers([UInt64])
    case texts([String])
    case blobs([[UInt8]])
}

/// An open connection.
package final class PostgresConnection {
    let path: String
    private let pg: napkin_pg
    private let handle: OpaquePointer
    /// The number of warnings. The connection that writes it does not outlive this object.
    private let warnings: UnsafeMutablePointer<Int32>
    private var prepared: [String: String] = [:]

    /// Parameters of every connection, unless a connection string overrides them. Chosen: an
    /// unreachable server is noticed within about a lease, and a worker starts or fails in
    /// napkind's 8 s.
    private static let parameters = [
        ("fallback_application_name", "napkin"), ("client_encoding", "UTF8"),
        ("connect_timeout", "3"), ("tcp_user_timeout", "5000"), ("keepalives", "1"),
        ("keepalives_idle", "2"), ("keepalives_interval", "1"), ("keepalives_count", "3"),
    ]
    /// Chosen: a server refuses messages of 1 GiB.
    private static let statementBytesMax = 1 << 29
    private let silence: Duration
    /// The settings of every session: a statement sees what was committed when it begins, and none
    /// makes others wait for long. Chosen: the lease's time, and many times that of a large commit.
    private static let settings = """
        SET default_transaction_isolation = 'read committed'; SET client_min_messages = 'warning';
        SET idle_in_transaction_session_timeout = '5s'; SET lock_timeout = '5s';
        SET statement_timeout = '20s'
        """

    /// - Parameters:
    ///   - database: the name of a service, or a connection string or URI.
    ///   - path: the store's name in errors.
    ///   - silence: the longest wait for a server that neither accepts nor sends anything. Chosen:
    ///     more than `statement_timeout`, so that it applies only to a server that hangs, or whose
    ///     standby does.
    package init(
        _ database: String, path: String, silence: Duration = .seconds(25)
    ) throws(StoreError) {
        var pg = napkin_pg()
        guard napkin_pg_load(&pg) != 0 else {
            throw StoreError(
                .failed, path: path,
                "libpq.so.5 is missing: install PostgreSQL's client library (Debian: libpq5)")
        }
        let isString = database.contains("=") || database.contains("://")
        let all = Self.parameters + [(isString ? "dbname" : "service", database)]
        let handle = Self.withPointers(all.map(\.0)) { keywords in
            Self.withPointers(all.map(\.1)) { pg.PQconnectdbParams(keywords, $0, 1) }
        }
        guard let handle else { throw StoreError(.failed, path: path, "there is no memory") }
        (self.pg, self.handle, self.path, self.silence) = (pg, handle, path, silence)
        warnings = .allocate(capacity: 1)
        warnings.initialize(to: 0)
        guard pg.PQstatus(handle) == NAPKIN_PG_CONNECTED else {
            throw StoreError(
                .unreachable, path: path, "the database cannot be reached: \(message)")
        }
        // Messages during connecting go to the log.
        _ = pg.PQsetNoticeProcessor(handle, { napkin_pg_count($0, $1) }, warnings)
        guard pg.PQsetnonblocking(handle, 1) == 0 else {
            throw StoreError(.failed, path: path, message)
        }
        try run(Self.settings)
    }

    deinit {
        pg.PQfinish(handle)
        warnings.deallocate()
    }

    private static func withPointers<T>(
        _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> T
    ) -> T {
        let bytes = texts.flatMap { Array($0.utf8CString) }
        return bytes.withUnsafeBufferPointer { bytes in
            var offset = 0
            var pointers: [UnsafePointer<CChar>?] = texts.map { text in
                defer { offset += text.utf8.count + 1 }
                return bytes.baseAddress.map { $0 + offset }
            }
            pointers.append(nil)
            return pointers.withUnsafeBufferPointer { pointers in
                guard let first = pointers.baseAddress else { preconditionFailure("it has nil") }
                return body(first)
            }
        }
    }

    // MARK: - Statements

    /// Runs statements without values, as one transaction.
    package func run(_ text: String) throws(StoreError) {
        _ = try result { pg.PQsendQuery(handle, text) }
    }

    /// Runs a statement, which is prepared once, and returns its rows.
    package func rows(
        _ text: String, _ values: [PostgresValue] = []
    ) throws(StoreError) -> PostgresRows {
        let name = try prepare(text, values)
        // Only an empty value may be at the end, where a pointer is still needed.
        var bytes: [UInt8] = []
        var (offsets, lengths): ([Int], [Int32]) = ([], [])
        for value in values {
            offsets.append(bytes.count)
            value.append(to: &bytes)
            lengths.append(Int32(clamping: bytes.count - (offsets.last ?? 0)))
        }
        guard bytes.count <= Self.statementBytesMax else {
            throw StoreError(
                .failed, path: path,
                "\(bytes.count) bytes are too many for one statement, which may have "
                    + "\(Self.statementBytesMax)")
        }
        bytes.append(0)
        let formats = [Int32](repeating: 1, count: values.count)
        return try result {
            bytes.withUnsafeBytes { bytes in
                let pointers = offsets.map {
                    bytes.baseAddress.map { $0.assumingMemoryBound(to: CChar.self) }?
                        .advanced(by: $0)
                }
                return pg.PQsendQueryPrepared(
                    handle, name, Int32(values.count), pointers, lengths, formats, 1)
            }
        }
    }

    /// Sends something, which libpq copies, and returns the last result. A connection that has
    /// ended also has a result, with the reason.
    private func result(_ send: () -> Int32) throws(StoreError) -> PostgresRows {
        guard send() == 1 else { throw connectionLost }
        while pg.PQflush(handle) == 1 {
            // libpq may have to read before it can send more.
            let ready = try ready(for: POLLIN | POLLOUT)
            guard ready & POLLIN == 0 || pg.PQconsumeInput(handle) == 1 else { break }
        }
        var last: OpaquePointer?
        while true {
            while pg.PQisBusy(handle) == 1 {
                _ = try ready(for: POLLIN)
                guard pg.PQconsumeInput(handle) == 1 else { break }
            }
            guard let next = pg.PQgetResult(handle) else { break }
            if let last { pg.PQclear(last) }
            last = next
        }
        return try checked(last)
    }

    /// Waits until the server accepts or sends something, and returns which.
    private func ready(for events: Int32) throws(StoreError) -> Int32 {
        let end = ContinuousClock.now + silence
        while true {
            let left = max(.zero, ContinuousClock.now.duration(to: end))
            var descriptor = pollfd(fd: pg.PQsocket(handle), events: Int16(events), revents: 0)
            let count = poll(&descriptor, 1, Int32(left / .milliseconds(1)))
            if count > 0 { return Int32(descriptor.revents) }
            guard count < 0, errno == EINTR || errno == EAGAIN else {
                throw StoreError(
                    .failed, path: path,
                    "the database has not answered for \(silence): whether the statement took "
                        + "effect is not known")
            }
        }
    }

    private var connectionLost: StoreError {
        StoreError(.failed, path: path, "the connection was lost: \(message)")
    }

    private func prepare(
        _ text: String, _ values: [PostgresValue]
    ) throws(StoreError) -> String {
        if let name = prepared[text] { return name }
        let name = "napkin\(prepared.count)"
        let types = values.map(\.type)
        _ = try result { pg.PQsendPrepare(handle, name, text, Int32(values.count), types) }
        prepared[text] = name
        return name
    }

    private func checked(_ result: OpaquePointer?) throws(StoreError) -> PostgresRows {
        guard let result else { throw connectionLost }
        let rows = PostgresRows(pg: pg, result: result, path: path)
        let status = pg.PQresultStatus(result)
        guard status == NAPKIN_PG_DONE || status == NAPKIN_PG_ROWS else {
            let state = pg.PQresultErrorField(result, NAPKIN_PG_SQLSTATE)
            throw error(state.map { String(cString: $0) } ?? "")
        }
        guard warnings.pointee == 0 else {
            throw StoreError(
                .failed, path: path,
                "the database warned of the outcome of a statement: its own log has the reason")
        }
        return rows
    }

    private var message: String {
        let text = pg.PQerrorMessage(handle).map { String(cString: $0) } ?? ""
        return text.split(separator: "\n").map { $0.drop { $0 == "\t" } }.joined(separator: "; ")
    }

    /// Source: errcodes-appendix.html
    private func error(_ state: String) -> StoreError {
        let text =
            switch state {
            case "53100": "the database's disk is full"
            case "25006": "the database is read-only: it is a standby, or was set so"
            case "3F000", "42P01":
                "the tables are missing: `napkin-client ledger migrate` creates them"
            case "42501": "the role may not use the tables"
            case "": "the connection was lost"
            default: "the database refused a statement (\(state))"
            }
        return StoreError(.failed, path: path, "\(text): \(message)")
    }
}

/// The rows of a result.
package final class PostgresRows {
    private let pg: napkin_pg
    private let result: OpaquePointer
    private let path: String
    let count: Int

    fileprivate init(pg: napkin_pg, result: OpaquePointer, path: String) {
        (self.pg, self.result, self.path) = (pg, result, path)
        count = Int(pg.PQntuples(result))
    }

    deinit { pg.PQclear(result) }

    /// A `bigint` that is not negative.
    func number(_ row: Int, _ column: Int) throws(StoreError) -> UInt64 {
        let bytes = try bytes(row, column)
        let number = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard bytes.count == 8, number >> 63 == 0 else {
            throw StoreError(.damaged, path: path, "a number of \(bytes.count) bytes is negative")
        }
        return number
    }

    func text(_ row: Int, _ column: Int) throws(StoreError) -> String {
        guard let text = String(validating: try bytes(row, column), as: UTF8.self) else {
            throw StoreError(.damaged, path: path, "a text is not in UTF-8")
        }
        return text
    }

    func bytes(_ row: Int, _ column: Int) throws(StoreError) -> [UInt8] {
        let (row, column) = (Int32(row), Int32(column))
        guard pg.PQgetisnull(result, row, column) == 0,
            let value = pg.PQgetvalue(result, row, column)
        else { throw StoreError(.damaged, path: path, "a value is missing") }
        let length = Int(pg.PQgetlength(result, row, column))
        return [UInt8](UnsafeRawBufferPointer(start: value, count: length))
    }
}

extension PostgresValue {
    /// `bigint`, `text`, `bytea` and their arrays. Source: catalog/pg_type.dat
    fileprivate var type: UInt32 {
        switch self {
        case .number: 20
        case .text: 25
        case .bytes: 17
        case .numbers: 1016
        case .texts: 1009
        case .blobs: 1001
        }
    }

    fileprivate func append(to bytes: inout [UInt8]) {
        switch self {
        case .number(let number): bytes.add(number)
        case .text(let text): bytes += text.utf8
        case .bytes(let blob): bytes += blob
        case .numbers(let numbers):
            bytes.beginArray(of: 20, numbers.count)
            for number in numbers {
                bytes.add(UInt32(8))
                bytes.add(number)
            }
        case .texts(let texts):
            bytes.beginArray(of: 25, texts.count)
            for text in texts {
                bytes.add(UInt32(text.utf8.count))
                bytes += text.utf8
            }
        case .blobs(let blobs):
            bytes.beginArray(of: 17, blobs.count)
            for blob in blobs {
                bytes.add(UInt32(blob.count))
                bytes += blob
            }
        }
    }
}

extension [UInt8] {
    fileprivate mutating func add(_ number: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: number.bigEndian) { self += $0 }
    }

    /// Dimensions, whether there are nulls, the type, the length and the first index. Source:
    /// array_recv in arrayfuncs.c
    fileprivate mutating func beginArray(of type: UInt32, _ count: Int) {
        for number in [1, 0, type, UInt32(count), 1] { add(number) }
    }
}
