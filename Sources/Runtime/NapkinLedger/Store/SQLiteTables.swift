// SQLiteTables: the tables of a SQLiteStore, on their connection.
//
// Isolation  confined to the store's lock.
// Invariant  the numbers here equal those in the file, or `failure` is set.
// Spec       Protocol/LEDGER.md

import NapkinTransport

/// The tables of an open file.
final class SQLiteTables {
    let connection: SQLiteConnection
    let syncsCommits: Bool
    private let origin: StoreOrigin
    /// The handling of a damaged log; `nil` if it was whole.
    private let damage: String?

    private var newest: GroupNumber = 0
    private var trimmed: GroupNumber = 0
    private var sessionCount: UInt64 = 0
    private var tidied: UInt64 = 0
    /// The size of the log's file, used or not.
    private var logBytes: Int
    /// The size that the log's file may grow to.
    let logBytesMax: Int
    /// The log's pages after `tidy`: only later pages need to be copied.
    private var tidyPages = -1
    /// The two files that are open. Both have names as long as nobody has removed them.
    private(set) var database, log: FileIdentity?
    /// The error with which all operations fail; once it is set, the store begins no operation.
    var failure: StoreError?

    /// All groups and sessions have smaller numbers. Chosen: nobody counts so far; SQLite can.
    private static let numbersMax: UInt64 = 1 << 62

    init(
        path: String, syncsCommits: Bool, logBytes: Int, isAsLeft: Bool?
    ) throws(StoreError) {
        try StoreFile.claim(path)
        let connection = try SQLiteConnection(path: path)
        try StoreFormat.lock(connection)
        let log = try StoreLog(of: path)
        try log.check(beside: connection)
        damage = try log.keepIfDamaged(beside: connection)
        let isOld = try StoreFormat.open(connection, syncsCommits: syncsCommits)
        origin = try StoreOrigin(
            of: connection, isExpected: isOld, isAsLeft: damage == nil ? isAsLeft : false,
            syncsCommits: syncsCommits)
        self.connection = connection
        self.syncsCommits = syncsCommits
        self.logBytes = 0
        self.logBytesMax = logBytes
        try readNumbers()
        try startLog(min(logBytes, SQLiteStore.firstLogBytes))
        database = FileIdentity(at: path)
        self.log = FileIdentity(at: StoreFile.log(of: path))
    }

    /// Makes one commit after the end of the old log, which is not moved, since fronts wait. From
    /// then on SQLite knows the log's length, and has synced all of it if commits are synced.
    private func startLog(_ bytes: Int) throws(StoreError) {
        try growLog(to: bytes, isSynced: false)
        do {
            try transaction { () throws(StoreError) in
                try note()
                try origin.write(to: connection)
            }
            if syncsCommits { try StoreFile.syncDirectory(of: connection.path) }
        } catch {
            guard error.code == .full else { throw error }
            // All of it may be in use.
            connection.logPages = self.logBytes / Self.pageInLogBytes
            try growLog(to: 0)
        }
    }

    /// Writes the range of the groups, in a transaction. A counter makes the page differ, since
    /// SQLite does not write an unchanged page.
    private func note() throws(StoreError) {
        try set(.newest, newest)
        try set(.tidied, tidied + 1)
        tidied += 1
    }

    // MARK: - Numbers

    private func readNumbers() throws(StoreError) {
        var numbers: [StoreFormat.Key: UInt64] = [:]
        let meta = try connection.statement("SELECT key, value, checksum FROM meta")
        try meta.rows([]) { row throws(StoreError) in
            let (name, value) = (try row.text(0), try row.integer(1))
            guard let key = StoreFormat.Key(rawValue: name),
                try row.integer(2) == StoreFormat.checksum(of: key, value)
            else { throw damaged("the checksum of \(name) in meta does not match") }
            numbers[key] = value
            return true
        }
        guard numbers[.application] == StoreFormat.application,
            numbers[.format] == StoreFormat.version, let trimmed = numbers[.trimmed],
            let oldest = numbers[.newest], let tidied = numbers[.tidied],
            let sessionCount = numbers[.sessions]
        else { throw damaged("meta does not have the numbers of a ledger") }
        var (count, last): (UInt64, UInt64) = (0, 0)
        let groups = try connection.statement(
            "SELECT count(*), ifnull(max(number), ?1) FROM groups")
        try groups.rows([.integer(trimmed)]) { row throws(StoreError) in
            (count, last) = (try row.integer(0), try row.integer(1))
            return true
        }
        guard last < Self.numbersMax, last >= max(trimmed, oldest), last - trimmed == count else {
            throw damaged(
                "\(count) groups up to \(last), after \(trimmed) that are gone, of \(oldest)")
        }
        (newest, self.trimmed) = (last, trimmed)
        (self.sessionCount, self.tidied) = (sessionCount, tidied)
    }

    private func set(_ key: StoreFormat.Key, _ value: UInt64) throws(StoreError) {
        try connection.statement("UPDATE meta SET value=?2, checksum=?3 WHERE key=?1").run(
            .text(key.rawValue), .integer(value),
            .integer(StoreFormat.checksum(of: key, value)))
    }

    private func damaged(_ detail: String) -> StoreError {
        StoreError(.damaged, path: connection.path, detail)
    }

    // MARK: - Writing

    /// Runs a transaction whole or not at all.
    private func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do {
            try connection.statement("BEGIN IMMEDIATE").run()
            try body()
            try connection.statement("COMMIT").run()
        } catch {
            // SQLite has rolled back some errors itself; what is not undone here is not committed.
            if connection.isInTransaction { try? connection.statement("ROLLBACK").run() }
            throw error
        }
    }

    func commit(_ commit: JournalCommit) throws(StoreError) {
        let newest = commit.newest(after: newest)
        var count = sessionCount
        do {
            try transaction { () throws(StoreError) in
                if let group = commit.group {
                    try connection.statement("INSERT INTO groups VALUES(?1, ?2)").run(
                        .integer(group.number), .blob(group.bytes))
                }
                for schema in commit.schemas {
                    try connection.statement("INSERT INTO schemas VALUES(?1, ?2, ?3)").run(
                        .integer(schema.number), .integer(StoreFormat.checksum(of: schema)),
                        .blob(schema.bytes))
                }
                for session in commit.ended.map(SQLiteValue.integer) {
                    try connection.statement("DELETE FROM sessions WHERE session=?1").run(session)
                    guard connection.changes <= count else {
                        throw damaged("more sessions than \(sessionCount)")
                    }
                    count -= UInt64(connection.changes)
                    try connection.statement("DELETE FROM dues WHERE session=?1").run(session)
                }
                // Two sessions may have taken each other's names.
                if commit.images.count > 1 {
                    let freeName = try connection.statement(
                        "UPDATE sessions SET name=char(0) || session WHERE session=?1")
                    for image in commit.images { try freeName.run(.integer(image.session)) }
                }
                for image in commit.images where !commit.ended.contains(image.session) {
                    count += try write(image)
                }
                if count != sessionCount { try set(.sessions, count) }
                if commit.trimmed > trimmed {
                    try connection.statement("DELETE FROM groups WHERE number <= ?1").run(
                        .integer(commit.trimmed))
                    try set(.trimmed, commit.trimmed)
                }
            }
        } catch {
            failure = error
            throw error
        }
        self.newest = newest
        trimmed = max(trimmed, commit.trimmed)
        sessionCount = count
    }

    /// Writes an image; returns how many sessions this adds.
    private func write(_ image: StoredImage) throws(StoreError) -> UInt64 {
        let checksum = SQLiteValue.integer(StoreFormat.checksum(of: image))
        let (session, base) = (SQLiteValue.integer(image.session), SQLiteValue.integer(image.base))
        let (name, id) = (SQLiteValue.text(image.name), SQLiteValue.text(image.id))
        let bytes = SQLiteValue.blob(image.bytes)
        let due = image.due.storedDue
        try connection.statement("INSERT OR REPLACE INTO dues VALUES(?1, ?2, ?3, ?4)").run(
            session, base, .integer(due),
            .integer(StoreFormat.checksum(due: due, of: image.session, at: image.base)))
        let update = try connection.statement(
            "UPDATE sessions SET name=?2, id=?3, base=?4, checksum=?5, bytes=?6 WHERE session=?1")
        try update.run(session, name, id, base, checksum, bytes)
        if connection.changes > 0 { return 0 }
        try connection.statement("INSERT INTO sessions VALUES(?1, ?2, ?3, ?4, ?5, ?6)").run(
            session, name, id, base, checksum, bytes)
        return 1
    }

    // MARK: - Reading

    var extent: StoreExtent {
        StoreExtent(newest: newest, trimmed: trimmed, history: origin.history, damage: damage)
    }

    func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group] {
        var next = max(number, trimmed) + 1
        var groups: [JournalCommit.Group] = []
        var bytes = 0
        var isWhole = true
        let found = try connection.statement(
            "SELECT number, bytes FROM groups WHERE number > ?1 ORDER BY number")
        try found.rows([.integer(next - 1)]) { row throws(StoreError) in
            guard try row.integer(0) == next else { throw damaged("group \(next) is missing") }
            let group = JournalCommit.Group(number: next, bytes: try row.blob(1))
            isWhole = groups.isEmpty || bytes + group.bytes.count <= bytesMax
            guard isWhole else { return false }
            groups.append(group)
            bytes += group.bytes.count
            next += 1
            // A row that is not wanted is not read: it may be damaged.
            isWhole = bytes < bytesMax
            return isWhole
        }
        guard !isWhole || next > newest else { throw damaged("group \(next) is missing") }
        return groups
    }

    func sessions() throws(StoreError) -> [StoredSession] {
        var sessions: [StoredSession] = []
        let found = try connection.statement(
            "SELECT session, name, id, base, length(bytes) FROM sessions ORDER BY session")
        try found.rows([]) { row throws(StoreError) in
            sessions.append(
                StoredSession(
                    session: try row.integer(0), name: try row.text(1), id: try row.text(2),
                    base: try row.integer(3), bytes: Int(try row.integer(4))))
            return true
        }
        guard sessions.last?.session ?? 0 < Self.numbersMax else {
            throw damaged("session \(sessions.last?.session ?? 0), after which there are no others")
        }
        guard sessions.count == sessionCount else {
            throw damaged("\(sessions.count) sessions instead of \(sessionCount)")
        }
        // A repeated or misplaced row hides another one.
        guard zip(sessions, sessions.dropFirst()).allSatisfy({ $0.session < $1.session }),
            Set(sessions.map(\.name)).count == sessions.count
        else { throw damaged("a session occurs twice, or is out of order") }
        return sessions
    }

    func dueTimes() throws(StoreError) -> [(session: SessionNumber, due: Int64?)] {
        var dueTimes: [(session: SessionNumber, due: Int64?)] = []
        let found = try connection.statement(
            "SELECT dues.session, dues.base, dues.due, dues.checksum FROM dues "
                + "JOIN sessions USING(session, base)")
        try found.rows([]) { row throws(StoreError) in
            let (session, base, due) = (
                try row.integer(0), try row.integer(1), try row.integer(2)
            )
            if try row.integer(3) == StoreFormat.checksum(due: due, of: session, at: base) {
                dueTimes.append((session, due == 0 ? nil : Int64(clamping: due)))
            }
            return true
        }
        return dueTimes
    }

    func schemas() throws(StoreError) -> [StoredSchema] {
        var schemas: [StoredSchema] = []
        let found = try connection.statement(
            "SELECT number, checksum, bytes FROM schemas ORDER BY number")
        try found.rows([]) { row throws(StoreError) in
            let schema = StoredSchema(number: try row.integer(0), bytes: try row.blob(2))
            guard schema.number == schemas.count + 1,
                try row.integer(1) == StoreFormat.checksum(of: schema)
            else { throw damaged("description \(schemas.count + 1) is missing or altered") }
            schemas.append(schema)
            return true
        }
        return schemas
    }

    func image(of session: SessionNumber) throws(StoreError) -> StoredImage? {
        var image: StoredImage?
        let found = try connection.statement(
            "SELECT name, id, base, checksum, bytes FROM sessions WHERE session=?1")
        try found.rows([.integer(session)]) { row throws(StoreError) in
            let found = StoredImage(
                session: session, name: try row.text(0), id: try row.text(1),
                base: try row.integer(2), bytes: try row.blob(4))
            try found.check(try row.integer(3), newest: newest, connection.path)
            image = found
            return true
        }
        return image
    }

    // MARK: - The log

    /// The size in the log of a page of 4 KiB, and of the header before the first page. Source:
    /// fileformat2.html, section 4.1
    private static let pageInLogBytes = 4096 + 24
    private static let logHeaderBytes = 32
    /// The log's header, and the pages that a commit changes besides those of its contents: of
    /// indices, of `meta`, of the list of free pages. Chosen; a test checks that it is enough.
    private static let logMarginBytes = 256 * pageInLogBytes

    /// The used part of the log at which it is moved. Chosen: the contents of a quarter of 16 MiB
    /// take some 10 ms to move, and as long to read when the store is opened.
    var isTidyDue: Bool {
        failure == nil && connection.logPages * Self.pageInLogBytes > logBytes / 4
    }

    /// Returns where the log ends after a commit of so many bytes.
    private func end(after bytes: Int) -> Int {
        // A page of the file has at least 4,000 bytes of a large value.
        let needed = (bytes / 4000 + 1) * Self.pageInLogBytes + Self.logMarginBytes
        return connection.logPages * Self.pageInLogBytes + needed
    }

    func hasRoom(for bytes: Int) -> Bool { end(after: bytes) <= logBytes }

    func reserve(_ bytes: Int) throws(StoreError) {
        guard end(after: bytes) > logBytes else { return }
        try tidy()
        let end = end(after: bytes)
        guard end > logBytes else { return }
        try growLog(to: end)
        guard logBytes >= end else {
            throw StoreError(.full, path: connection.path, "no room for \(bytes) bytes")
        }
    }

    /// Grows the log as far as there is room.
    private func growLog(to bytes: Int, isSynced: Bool = true) throws(StoreError) {
        do {
            logBytes = try StoreFile.growLog(
                of: connection.path, to: bytes, isSynced: isSynced && syncsCommits)
        } catch {
            failure = error
            throw error
        }
    }

    func tidy() throws(StoreError) {
        guard connection.logPages != tidyPages else { return }
        let wasUsed = isTidyDue
        do {
            try connection.checkpoint()
            // The log restarts with this commit, and SQLite syncs its beginning: here, not in the
            // first commit that somebody waits for.
            try transaction { () throws(StoreError) in try note() }
            tidyPages = connection.logPages
        } catch {
            // Without room, the log still has everything.
            if error.code != .full { failure = error }
            throw error
        }
        if wasUsed, logBytes < logBytesMax { try growLog(to: min(2 * logBytes, logBytesMax)) }
    }

    func shrink() throws(StoreError) {
        try tidy()
        let used = Self.logHeaderBytes + connection.logPages * Self.pageInLogBytes
        try StoreFile.cutLog(of: connection.path, to: used)
        logBytes = used
    }
}
