// StoreFormat: the tables of a ledger's file, and the marks by which it is recognized.
//
// Isolation  none of its own; runs on the store's connection.
// Spec       Protocol/LEDGER.md, "The file"

enum StoreFormat {
    /// The version that is written; greater versions are refused.
    static let version: UInt64 = 1
    /// "NKLG": SQLite keeps it in the file's header, where file(1) finds it.
    static let application: UInt64 = 0x4E4B_4C47

    /// The text that creates each table; a file has exactly these texts.
    static let tables =
        [
            (
                name: "meta",
                text: "CREATE TABLE meta(key TEXT PRIMARY KEY, value INTEGER NOT NULL, "
                    + "checksum INTEGER NOT NULL) STRICT, WITHOUT ROWID"
            ),
            (
                name: "groups",
                text: "CREATE TABLE groups(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT"
            ),
            (
                name: "sessions",
                text:
                    "CREATE TABLE sessions(session INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, "
                    + "id TEXT NOT NULL, base INTEGER NOT NULL, checksum INTEGER NOT NULL, "
                    + "bytes BLOB NOT NULL) STRICT"
            ),
        ] + added

    /// The tables that an older file lacks.
    private static let added = [
        (
            name: "schemas",
            text: "CREATE TABLE schemas(number INTEGER PRIMARY KEY, checksum INTEGER NOT NULL, "
                + "bytes BLOB NOT NULL) STRICT"
        ),
        (
            name: "dues",
            text: "CREATE TABLE dues(session INTEGER PRIMARY KEY, base INTEGER NOT NULL, "
                + "due INTEGER NOT NULL, checksum INTEGER NOT NULL) STRICT"
        ), StoreOrigin.table,
    ]

    /// A number in `meta`.
    enum Key: String, CaseIterable {
        case application, format
        /// Groups up to this one are gone.
        case trimmed
        /// The newest group when the store was last tidied: the journal cannot end before it.
        case newest
        /// The number of times that the store was opened or tidied, from a random first number.
        case tidied
        /// The number of rows in `sessions`.
        case sessions
    }

    /// The settings before a file can be read: no other process uses it, and it is never read
    /// through memory that a truncation would invalidate (`mmap_size`).
    private static let settings = [
        "locking_mode=EXCLUSIVE", "page_size=4096", "mmap_size=0", "temp_store=MEMORY",
        "cell_size_check=ON", "trusted_schema=OFF", "secure_delete=FAST",
    ]

    /// Makes sure that nobody else uses the file, of which nothing has been written yet.
    static func lock(_ connection: SQLiteConnection) throws(StoreError) {
        try connection.run("PRAGMA locking_mode=EXCLUSIVE")
        _ = try number(connection, "application_id")
    }

    /// Sets up the connection, and creates the tables in a file that has none. Returns whether the
    /// file already recorded where it was written.
    static func open(
        _ connection: SQLiteConnection, syncsCommits: Bool
    ) throws(StoreError) -> Bool {
        for setting in settings { try connection.run("PRAGMA " + setting) }
        let application = try number(connection, "application_id")
        let version = try number(connection, "user_version")
        if application == 0, version == 0, try number(connection, "page_count") <= 1,
            try texts(connection).isEmpty
        {
            try startLog(connection, syncsCommits)
            try create(connection)
            return false
        }
        guard application == Self.application else {
            throw StoreError(.damaged, path: connection.path, "it is not a ledger")
        }
        guard version == Self.version else {
            throw StoreError(
                .version, path: connection.path,
                "it is of version \(version), and this program reads \(Self.version)")
        }
        var found = try texts(connection)
        let missing = added.filter { found[$0.name] == nil }
        for table in missing { found[table.name] = table.text }
        guard tables.allSatisfy({ found[$0.name] == $0.text }) else {
            throw StoreError(.damaged, path: connection.path, "its tables are not a ledger's")
        }
        do throws(StoreError) {
            try startLog(connection, syncsCommits)
            for table in missing { try connection.run(table.text) }
        } catch {
            // `full` would say that nothing is stored yet.
            throw error.code == .full
                ? StoreError(.failed, path: connection.path, error.detail) : error
        }
        return !missing.contains { $0.name == StoreOrigin.table.name }
    }

    private static func startLog(
        _ connection: SQLiteConnection, _ syncsCommits: Bool
    ) throws(StoreError) {
        var mode = ""
        try connection.statement("PRAGMA journal_mode=WAL").rows([]) { row throws(StoreError) in
            mode = try row.text(0)
            return true
        }
        guard mode == "wal" else {
            throw StoreError(.failed, path: connection.path, "its log is of the kind \(mode)")
        }
        try connection.run("PRAGMA synchronous=\(syncsCommits ? "FULL" : "NORMAL")")
        try connection.run("PRAGMA journal_size_limit=-1")
        connection.countLogPages()
    }

    private static func create(_ connection: SQLiteConnection) throws(StoreError) {
        try connection.run("BEGIN IMMEDIATE")
        for table in tables { try connection.run(table.text) }
        try connection.run("PRAGMA application_id=\(application)")
        try connection.run("PRAGMA user_version=\(version)")
        let insert = try connection.statement("INSERT INTO meta VALUES(?1, ?2, ?3)")
        for key in Key.allCases {
            let value =
                switch key {
                case .application: application
                case .format: version
                case .tidied: UInt64.random(in: tidiedRange)
                case .trimmed, .newest, .sessions: UInt64(0)
                }
            try insert.run(
                .text(key.rawValue), .integer(value), .integer(checksum(of: key, value)))
        }
        try connection.run("COMMIT")
        // From here on the file itself identifies its log.
        try connection.checkpoint()
    }

    /// The range of first counts. Chosen: no two files begin with the same count, or reach it.
    private static let tidiedRange: ClosedRange<UInt64> = 1 << 32...1 << 56

    /// Makes an unused copy independent: it gets its own log and another history.
    static func disown(_ path: String) throws(StoreError) {
        let copy = try SQLiteConnection(path: path)
        // Leaves no file beside it that would obstruct the next copy.
        try copy.run("PRAGMA journal_mode=MEMORY; DELETE FROM \(StoreOrigin.table.name)")
        let tidied = UInt64.random(in: tidiedRange)
        try copy.run(
            "UPDATE meta SET value=\(tidied), checksum=\(checksum(of: .tidied, tidied)) "
                + "WHERE key='\(Key.tidied.rawValue)'")
    }

    private static func number(
        _ connection: SQLiteConnection, _ pragma: String
    ) throws(StoreError) -> UInt64 {
        var number: UInt64 = 0
        try connection.statement("PRAGMA " + pragma).rows([]) { row throws(StoreError) in
            number = try row.integer(0)
            return true
        }
        return number
    }

    private static func texts(
        _ connection: SQLiteConnection
    ) throws(StoreError) -> [String: String] {
        var texts: [String: String] = [:]
        let statement = try connection.statement(
            "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
        try statement.rows([]) { row throws(StoreError) in
            texts[try row.text(0)] = try row.text(1)
            return true
        }
        return texts
    }

    // MARK: - Checksums

    static func checksum(of key: Key, _ value: UInt64) -> UInt64 {
        var checksum = CRC32C()
        checksum.add(Array(key.rawValue.utf8))
        checksum.add(value)
        return UInt64(checksum.value)
    }

    static func checksum(of schema: StoredSchema) -> UInt64 {
        var checksum = CRC32C()
        checksum.add(schema.number)
        checksum.add(schema.bytes)
        return UInt64(checksum.value)
    }

    static func checksum(
        due: UInt64, of session: SessionNumber, at base: GroupNumber
    ) -> UInt64 {
        CRC32C.of(numbers: [session, base, due])
    }

    static func checksum(of image: StoredImage) -> UInt64 {
        var checksum = CRC32C()
        checksum.add(image.session)
        checksum.add(image.base)
        checksum.add(UInt64(image.name.utf8.count))
        checksum.add(Array(image.name.utf8))
        checksum.add(UInt64(image.id.utf8.count))
        checksum.add(Array(image.id.utf8))
        checksum.add(image.bytes)
        return UInt64(checksum.value)
    }
}
