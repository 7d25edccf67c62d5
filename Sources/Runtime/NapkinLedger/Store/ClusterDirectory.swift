// ClusterDirectory: a database's knowledge of the machines that share it, and of their sessions.
//
// Isolation  @MainActor for callers; each question waits for the database on a queue.
// Ownership  one connection, which is reopened after an error.
// Invariant  it never decides who may commit: an answer may be outdated when it arrives.
// Spec       Protocol/LEDGER.md, "Machines"

import Dispatch
import NapkinTransport

/// Answers napkind's questions, one after another.
package final class ClusterDirectory: Sendable {
    /// A machine that has registered.
    package struct Machine: Equatable, Sendable {
        package var name: String
        /// The URL: `ssh://[user@]host[:port]`.
        package var host: String
        /// The path of napkind's socket; empty for the default.
        package var socket: String
        package var isDraining = false
        /// The seconds since its last report.
        package var seconds = 0
        /// The number of journals that it has.
        package var places = 0

        package init(name: String, host: String, socket: String) {
            (self.name, self.host, self.socket) = (name, host, socket)
        }
    }

    /// The machine that has a journal, or had it last.
    package struct Owner: Equatable, Sendable {
        package var machine: String
        /// Whether the owner's lease is still valid.
        package var isHeld: Bool

        package init(machine: String, isHeld: Bool) {
            (self.machine, self.isHeld) = (machine, isHeld)
        }
    }

    /// A stored session, or a name that is reserved for one.
    package struct Session: Equatable, Sendable {
        package var name: String
        package var journal: String
        package var owner: Owner?
        /// Whether it is stored, not merely a reserved name.
        package var isStored = true
    }

    /// How long a name is reserved for a session that is about to be stored. Chosen: much longer
    /// than a worker takes to start.
    private static let reservationSeconds = 60
    /// How long a silent machine's name is refused to another machine. Chosen: a restart is faster.
    private static let nameSeconds = 30
    /// How long a failure answers the next questions. Chosen: less than a person's pause.
    private static let failureTime = Duration.milliseconds(500)
    /// The number of rows of an answer. Chosen: tens of megabytes.
    private static let rowsMax: UInt64 = 100_000
    /// The number of due journals that are taken together. Chosen: each starts a process.
    private static let dueMax: UInt64 = 16

    private let database: String
    private let directory: String
    private let queue = DispatchQueue(label: "napkin.cluster")
    // SAFETY: @unchecked Sendable, used on the queue alone.
    private final class ConnectionState: @unchecked Sendable {
        var connection: PostgresConnection?
        var cluster = ""
        /// The last failure, and when it was.
        var failure: (error: StoreError, time: ContinuousClock.Instant)?
    }
    private let state = ConnectionState()

    /// - Parameter directory: the journals' directory, which belongs to one cluster.
    package init(database: String, directory: String) {
        (self.database, self.directory) = (database, directory)
    }

    private var path: String { "postgres:\(database)" }

    /// Asks on the queue. A connection that was lost since the last question is reopened once.
    ///
    /// - Parameter body: may be called twice.
    @MainActor
    package func ask<T: Sendable>(
        _ body: @escaping @Sendable (Questions) throws(StoreError) -> T
    ) async throws(StoreError) -> T {
        let result: Result<T, StoreError> = await withCheckedContinuation { continuation in
            queue.async {
                let answer = self.answer(body)
                Task { @MainActor in
                    Loop.keepingResumesOnLoop { continuation.resume(returning: answer) }
                }
            }
        }
        return try result.get()
    }

    private func answer<T>(
        _ body: (Questions) throws(StoreError) -> T
    ) -> Result<T, StoreError> {
        // Callers that have waited for the same answer need not wait for another one.
        if let (error, time) = state.failure, time.duration(to: .now) < Self.failureTime {
            return .failure(error)
        }
        let wasOpen = state.connection != nil
        do throws(StoreError) {
            return .success(try body(questions()))
        } catch {
            state.connection = nil
            guard wasOpen, error.code != .busy else { return failed(error) }
            do throws(StoreError) {
                return .success(try body(questions()))
            } catch {
                state.connection = nil
                return failed(error)
            }
        }
    }

    private func failed<T>(_ error: StoreError) -> Result<T, StoreError> {
        if error.code == .unreachable { state.failure = (error, .now) }
        return .failure(error)
    }

    private func questions() throws(StoreError) -> Questions {
        if let connection = state.connection {
            return Questions(connection: connection, cluster: state.cluster)
        }
        let connection = try PostgresConnection(database, path: path)
        let cluster = try PostgresFormat.cluster(connection)
        try PostgresCluster.check(cluster, joinedIn: directory, path)
        (state.connection, state.cluster) = (connection, cluster)
        return Questions(connection: connection, cluster: cluster)
    }

    /// The questions, each one statement.
    package struct Questions {
        let connection: PostgresConnection
        package let cluster: String
    }
}

extension ClusterDirectory.Questions {
    private typealias Directory = ClusterDirectory

    /// Reports that a machine runs, and returns all machines by name.
    ///
    /// - Parameter place: distinguishes two machines with one name: the second is refused.
    package func report(
        _ machine: ClusterDirectory.Machine, at place: String
    ) throws(StoreError) -> [ClusterDirectory.Machine] {
        let written = try connection.rows(
            """
            WITH n AS (DELETE FROM napkin.names WHERE until < now())
            INSERT INTO napkin.machines AS m VALUES ($1, $2, $3, $4, $5 = 'true', now())
            ON CONFLICT (name) DO UPDATE SET place = excluded.place, host = excluded.host,
                socket = excluded.socket, drains = excluded.drains, heard = excluded.heard
            WHERE m.place = excluded.place
                OR m.heard < now() - interval '\(Directory.nameSeconds) s'
            RETURNING name
            """,
            [
                .text(machine.name), .text(place), .text(machine.host), .text(machine.socket),
                .text("\(machine.isDraining)"),
            ])
        guard written.count == 1 else {
            throw StoreError(
                .busy, path: connection.path,
                "another napkind is the machine \(machine.name) of the cluster \(cluster): give "
                    + "this one another name with --machine")
        }
        let rows = try connection.rows(
            """
            SELECT name, host, socket, drains::text,
                greatest(0, floor(extract(epoch FROM now() - heard)))::bigint,
                (SELECT count(*) FROM napkin.owner
                    WHERE address = name AND expires > now())
            FROM napkin.machines ORDER BY name LIMIT $1
            """, [.number(Directory.rowsMax)])
        return try rows.all { (row) throws(StoreError) in
            var machine = ClusterDirectory.Machine(
                name: try rows.text(row, 0), host: try rows.text(row, 1),
                socket: try rows.text(row, 2))
            machine.isDraining = try rows.text(row, 3) == "true"
            machine.seconds = Int(try rows.number(row, 4))
            machine.places = Int(try rows.number(row, 5))
            return machine
        }
    }

    private static let owned = """
        coalesce(o.address, ''), coalesce(o.expires > now(), false)::text
        """

    private func owner(
        _ rows: PostgresRows, _ row: Int, _ column: Int
    ) throws(StoreError) -> ClusterDirectory.Owner? {
        let machine = try rows.text(row, column)
        guard !machine.isEmpty else { return nil }
        return ClusterDirectory.Owner(
            machine: machine, isHeld: try rows.text(row, column + 1) == "true")
    }

    /// Finds a session by its name; `nil` if none is stored or reserved.
    package func find(_ name: String) throws(StoreError) -> ClusterDirectory.Session? {
        let rows = try connection.rows(
            """
            SELECT s.journal, \(Self.owned), rank::bigint FROM (
                SELECT journal, 1 AS rank FROM napkin.sessions WHERE name = $1 UNION ALL
                SELECT journal, 2 FROM napkin.names WHERE name = $1 AND until > now()
            ) AS s LEFT JOIN napkin.owner AS o USING (journal) ORDER BY rank, s.journal LIMIT 1
            """, [.text(name)])
        guard rows.count > 0 else { return nil }
        return ClusterDirectory.Session(
            name: name, journal: try rows.text(0, 0), owner: try owner(rows, 0, 1),
            isStored: try rows.number(0, 3) == 1)
    }

    /// Reserves a name for a session of a journal; returns false if another journal has the name.
    package func reserve(_ name: String, in journal: String) throws(StoreError) -> Bool {
        try connection.rows(
            """
            INSERT INTO napkin.names AS n
            SELECT $1, $2, now() + interval '\(Directory.reservationSeconds) s'
            WHERE NOT EXISTS (
                SELECT FROM napkin.sessions WHERE name = $1 AND journal <> $2)
            ON CONFLICT (name) DO UPDATE SET journal = excluded.journal, until = excluded.until
            WHERE n.until < now() OR n.journal = excluded.journal RETURNING name
            """, [.text(name), .text(journal)]
        ).count == 1
    }

    /// Gives a name back that was kept for a session of a journal.
    package func release(_ name: String, in journal: String) throws(StoreError) {
        _ = try connection.rows(
            "DELETE FROM napkin.names WHERE name = $1 AND journal = $2 RETURNING name",
            [.text(name), .text(journal)])
    }

    /// Returns the owners of these journals, as far as they have had any.
    package func owners(
        of journals: [String]
    ) throws(StoreError) -> [String: ClusterDirectory.Owner] {
        let rows = try connection.rows(
            """
            SELECT o.journal, \(Self.owned) FROM napkin.owner AS o WHERE o.journal = ANY ($1)
            """, [.texts(journals)])
        let found = try rows.all { (row) throws(StoreError) in
            (try rows.text(row, 0), try owner(rows, row, 1))
        }
        return Dictionary(found.compactMap { name, owner in owner.map { (name, $0) } }) { $1 }
    }

    /// Returns random numbers that no session of the app has and no machine holds.
    package func freeNumbers(of app: String, upTo most: Int) throws(StoreError) -> [Int] {
        let rows = try connection.rows(
            """
            SELECT n::bigint FROM generate_series(1, $2) AS n WHERE NOT EXISTS (
                SELECT FROM napkin.owner WHERE journal = $1 || n AND expires > now()
            ) AND NOT EXISTS (SELECT FROM napkin.sessions WHERE journal = $1 || n)
            AND NOT EXISTS (SELECT FROM napkin.names WHERE journal = $1 || n)
            ORDER BY random() LIMIT 8
            """, [.text(app + "~"), .number(UInt64(most))])
        return try rows.all { (row) throws(StoreError) in Int(try rows.number(row, 0)) }
    }

    /// Returns the journals with sessions that the machine has, or had last.
    package func places(of machine: String) throws(StoreError) -> [String] {
        let rows = try connection.rows(
            """
            SELECT o.journal FROM napkin.owner AS o WHERE o.address = $1
            AND EXISTS (SELECT FROM napkin.sessions AS s WHERE s.journal = o.journal) LIMIT $2
            """, [.text(machine), .number(Directory.rowsMax)])
        return try rows.all { (row) throws(StoreError) in try rows.text(row, 0) }
    }

    /// Returns the journals with sessions.
    package func journals() throws(StoreError) -> [String] {
        let rows = try connection.rows(
            "SELECT DISTINCT journal FROM napkin.sessions LIMIT $1", [.number(Directory.rowsMax)])
        return try rows.all { (row) throws(StoreError) in try rows.text(row, 0) }
    }

    /// Returns journals that no machine has and that have something due, the longest overdue first.
    package func due() throws(StoreError) -> [String] {
        let rows = try connection.rows(
            """
            SELECT journal FROM napkin.owner
            WHERE due > 0 AND due <= extract(epoch FROM now()) * 1000 AND expires <= now()
            ORDER BY due LIMIT $1
            """, [.number(Directory.dueMax)])
        return try rows.all { (row) throws(StoreError) in try rows.text(row, 0) }
    }

    /// Returns all stored sessions, by name.
    package func sessions() throws(StoreError) -> [ClusterDirectory.Session] {
        let rows = try connection.rows(
            """
            SELECT s.name, s.journal, \(Self.owned)
            FROM napkin.sessions AS s LEFT JOIN napkin.owner AS o USING (journal)
            ORDER BY s.name LIMIT $1
            """, [.number(Directory.rowsMax)])
        return try rows.all { (row) throws(StoreError) in
            ClusterDirectory.Session(
                name: try rows.text(row, 0), journal: try rows.text(row, 1),
                owner: try owner(rows, row, 2))
        }
    }
}

extension PostgresRows {
    fileprivate func all<T>(
        _ read: (Int) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        var found: [T] = []
        for row in 0..<count { found.append(try read(row)) }
        return found
    }
}
