// PostgresFormat: the tables of a cluster's journals, and the requirements for their database.
//
// Spec       Protocol/LEDGER.md, "PostgreSQL"

enum PostgresFormat {
    /// The version that is written; other versions are refused.
    static let version = "2"
    /// The oldest server whose behaviour is relied on. Chosen: 14 is the oldest that PostgreSQL
    /// supports while 18 is current; 15 is tested.
    private static let serverMin: UInt64 = 140_000

    /// Names are compared by their bytes: a language's order changes with the system's library, and
    /// an index that was created in another order finds nothing.
    private static let tables = """
        CREATE SCHEMA napkin;
        CREATE TABLE napkin.meta(key text COLLATE "C" PRIMARY KEY, value text NOT NULL);
        CREATE TABLE napkin.owner(
            journal text COLLATE "C" PRIMARY KEY, epoch bigint NOT NULL, machine text NOT NULL,
            address text NOT NULL, expires timestamptz NOT NULL) WITH (fillfactor = 50);
        CREATE TABLE napkin.journals(
            journal text COLLATE "C" PRIMARY KEY, trimmed bigint NOT NULL, newest bigint NOT NULL,
            history bigint NOT NULL, origin text NOT NULL);
        CREATE TABLE napkin.groups(
            journal text COLLATE "C", number bigint, bytes bytea NOT NULL,
            PRIMARY KEY (journal, number));
        CREATE TABLE napkin.sessions(
            journal text COLLATE "C", session bigint,
            name text COLLATE "C" NOT NULL, id text NOT NULL,
            base bigint NOT NULL, due bigint NOT NULL, checksum bigint NOT NULL,
            bytes bytea NOT NULL, PRIMARY KEY (journal, session),
            UNIQUE (journal, name) DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE napkin.schemas(
            journal text COLLATE "C", number bigint, checksum bigint NOT NULL, bytes bytea NOT NULL,
            PRIMARY KEY (journal, number));
        ALTER TABLE napkin.groups ALTER bytes SET STORAGE EXTERNAL;
        ALTER TABLE napkin.sessions ALTER bytes SET STORAGE EXTERNAL;
        INSERT INTO napkin.meta VALUES ('format', '1');
        """

    /// The additions of version 2: the machines, and the due times of journals that none has.
    private static let directory = """
        CREATE TABLE napkin.machines(
            name text COLLATE "C" PRIMARY KEY, place text NOT NULL, host text NOT NULL,
            socket text NOT NULL, drains boolean NOT NULL, heard timestamptz NOT NULL);
        CREATE TABLE napkin.names(
            name text COLLATE "C" PRIMARY KEY, journal text COLLATE "C" NOT NULL,
            until timestamptz NOT NULL);
        ALTER TABLE napkin.owner ADD due bigint NOT NULL DEFAULT 0;
        CREATE INDEX owner_due ON napkin.owner(due) WHERE due > 0;
        CREATE INDEX sessions_name ON napkin.sessions(name);
        UPDATE napkin.meta SET value = '2' WHERE key = 'format';
        """

    /// Creates missing tables, or missing parts of them, and returns the cluster's name.
    ///
    /// - Parameter cluster: the name for a new cluster; `nil` chooses one at random.
    static func migrate(
        _ connection: PostgresConnection, cluster: String?
    ) throws(StoreError) -> (cluster: String, isNew: Bool) {
        try checkServer(connection)
        let isNew = try !exists(connection)
        if isNew {
            let cluster = cluster ?? "napkin-\(String(UInt32.random(in: 0 ... .max), radix: 36))"
            let quoted = cluster.replacing("'", with: "''")
            try connection.run(
                tables + directory + "INSERT INTO napkin.meta VALUES ('cluster', '\(quoted)')")
        } else if try meta(connection)["format"] == "1" {
            try connection.run(directory)
        }
        return (try self.cluster(connection), isNew)
    }

    /// Returns the name of the cluster whose tables these are.
    static func cluster(_ connection: PostgresConnection) throws(StoreError) -> String {
        guard try exists(connection) else {
            throw StoreError(
                .failed, path: connection.path,
                "the tables are missing: `napkin-client ledger migrate` creates them")
        }
        let values = try meta(connection)
        guard let version = values["format"], let cluster = values["cluster"] else {
            throw StoreError(.damaged, path: connection.path, "its schema napkin is not a ledger's")
        }
        guard version == Self.version else {
            throw StoreError(
                .version, path: connection.path,
                "its tables are of version \(version), and this program uses \(Self.version): "
                    + "`napkin-client ledger migrate` updates older ones")
        }
        return cluster
    }

    private static func meta(
        _ connection: PostgresConnection
    ) throws(StoreError) -> [String: String] {
        let rows = try connection.rows("SELECT key, value FROM napkin.meta")
        var values: [String: String] = [:]
        for row in 0..<rows.count { values[try rows.text(row, 0)] = try rows.text(row, 1) }
        return values
    }

    private static func exists(_ connection: PostgresConnection) throws(StoreError) -> Bool {
        try connection.rows("SELECT FROM pg_catalog.pg_namespace WHERE nspname = 'napkin'").count
            > 0
    }

    private static func checkServer(_ connection: PostgresConnection) throws(StoreError) {
        let found = try connection.rows(
            """
            SELECT current_setting('server_version_num')::bigint, current_setting('server_version'),
                current_setting('server_encoding')
            """)
        guard try found.number(0, 0) >= serverMin else {
            throw StoreError(
                .version, path: connection.path,
                "PostgreSQL \(try found.text(0, 1)) is too old: 14 or newer is needed")
        }
        let encoding = try found.text(0, 2)
        guard encoding == "UTF8" else {
            throw StoreError(
                .failed, path: connection.path,
                "the database is encoded in \(encoding), which has not all letters of names: "
                    + "create one with ENCODING 'UTF8'")
        }
    }

    /// Counts the servers that could be promoted. Such a server replays what it receives; a program
    /// that only archives the log, and a subscriber to some tables, do not. A user who may not see
    /// these columns sees no state, and counts each receiver.
    private static let standbys = """
        SELECT count(*) FROM pg_stat_replication AS r WHERE state IS NULL
            OR state = 'streaming' AND replay_lsn IS NOT NULL AND NOT EXISTS (
                SELECT FROM pg_replication_slots AS s
                WHERE s.active_pid = r.pid AND s.slot_type = 'logical')
        """

    /// Refuses a server that cannot guarantee `durability`.
    static func check(
        _ connection: PostgresConnection, syncsCommits: Bool
    ) throws(StoreError) {
        try checkServer(connection)
        guard syncsCommits else {
            // The server's disk decides; no standby is waited for.
            return try connection.run("SET synchronous_commit = 'local'")
        }
        let found = try connection.rows(
            """
            SELECT current_setting('synchronous_commit'), current_setting('fsync'),
                current_setting('full_page_writes'),
                CASE WHEN current_setting('synchronous_standby_names') = '' THEN
                    (\(standbys)) ELSE 0 END
            """)
        func refuse(_ reason: String) -> StoreError {
            StoreError(
                .failed, path: connection.path,
                "\(reason): it cannot keep what is to survive a power cut (durability .machine)")
        }
        let level = try found.text(0, 0)
        guard ["on", "remote_apply"].contains(level) else {
            throw refuse("synchronous_commit is \(level), and must be at least on")
        }
        for (column, name) in [(1, "fsync"), (2, "full_page_writes")]
        where try found.text(0, column) != "on" {
            throw refuse("\(name) is off")
        }
        let standbys = try found.number(0, 3)
        guard standbys == 0 else {
            throw refuse(
                "it has \(standbys) standbys, and synchronous_standby_names is empty, so that a "
                    + "fail-over may lose commits")
        }
        // A later change of the configuration must not undo what this session was checked for.
        try connection.run("SET synchronous_commit = '\(level)'")
    }

    /// Identifies the database that has these tables: another cluster of servers, another timeline
    /// (it was restored or promoted) and other tables have another identity.
    static func origin(_ connection: PostgresConnection) throws(StoreError) -> String {
        let found = try connection.rows(
            """
            SELECT (SELECT system_identifier FROM pg_control_system())::text || '.'
                || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '.'
                || 'napkin.groups'::regclass::oid
            """)
        return try found.text(0, 0)
    }
}
