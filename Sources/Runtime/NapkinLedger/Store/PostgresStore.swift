// PostgresStore: a journal's store in a PostgreSQL database, which several machines may share.
//
// Isolation  any thread (Mutex); every call may wait for the server, so the loop must not use it.
// Ownership  one connection, and the journal's note, from its opening until it is released.
// Invariant  a commit is one statement, or a transaction if it is large, and takes effect only
//            while the journal is this owner's.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

import Glibc
package import NapkinCore
import NapkinTransport
import Synchronization

/// Keeps a journal in a database.
///
/// Once an operation has failed, everything else fails with the same error: the outcome of a commit
/// whose answer was lost is known only after opening the journal again.
package final class PostgresStore: JournalStore {
    /// How long opening waits for a database that cannot be reached, or for the end of another
    /// owner's lease. Chosen: a lease, and napkind waits 8 s for a worker.
    private static let patience = Duration.seconds(6)
    /// The most groups read together. Chosen: the server sorts and sums no more than that.
    private static let groupsMax: UInt64 = 1000

    private final class Opened {
        let connection: PostgresConnection
        let note: PostgresNote
        let epoch: UInt64
        var extent: StoreExtent
        /// When the lease was last renewed.
        var renewed = ContinuousClock.now
        var isRenewalDue: Bool { renewed.duration(to: .now) >= JournalOwner.renewal }
        var isReleased = false
        /// The due time in the owner's row; `nil` if this epoch has not written it.
        var due: UInt64?
        /// The error with which all operations fail.
        var failure: StoreError?

        init(
            _ connection: PostgresConnection, _ note: PostgresNote, epoch: UInt64,
            _ extent: StoreExtent
        ) {
            (self.connection, self.note) = (connection, note)
            (self.epoch, self.extent) = (epoch, extent)
        }
    }

    package let path: String
    private let database, journal, file, address: String
    private let syncsCommits, waitsForOwner: Bool
    private let opened = Mutex<Opened?>(nil)

    /// Creates a store that is not opened yet. `durability` is `.machine` or `.process`.
    ///
    /// - Parameters:
    ///   - database: the name of a service of libpq, or a connection string or URI.
    ///   - journal: the journal's name among those of the cluster.
    ///   - file: the path that a journal's file would have; the note is beside it.
    ///   - address: the name by which other machines learn who has the journal.
    ///   - waitsForOwner: whether opening waits for the end of another owner's lease.
    package init(
        database: String, journal: String, file: String, address: String, durability: Durability,
        waitsForOwner: Bool = true
    ) {
        precondition(durability != .none, "nothing is kept: that needs no store")
        (self.database, self.journal, self.file) = (database, journal, file)
        (self.address, syncsCommits) = (address, durability == .machine)
        self.waitsForOwner = waitsForOwner
        path = "postgres:\(database), journal \(journal)"
    }

    /// Whether a worker of this machine has kept this journal in a database.
    package static func hasNote(of journal: String) -> Bool {
        access(PostgresNote.path(of: journal), F_OK) == 0
    }

    /// Creates a cluster's tables, unless they exist, and returns its name.
    package static func migrate(
        database: String, cluster: String?
    ) throws(StoreError) -> (cluster: String, isNew: Bool) {
        let connection = try PostgresConnection(database, path: "postgres:\(database)")
        return try PostgresFormat.migrate(connection, cluster: cluster)
    }

    package var needsQueue: Bool { true }

    // MARK: - Opening

    /// Performs an operation on the journal, and opens it first if necessary.
    ///
    /// - Parameter renews: whether to renew a lease that is due for renewal.
    private func use<T: Sendable>(
        renews: Bool = true, _ body: @Sendable (Opened) throws(StoreError) -> T
    ) throws(StoreError) -> T {
        try opened.withLock { (opened) throws(StoreError) in
            if opened == nil { opened = try openedInTime() }
            guard let opened else { preconditionFailure("it has just been opened") }
            if let failure = opened.failure { throw failure }
            do throws(StoreError) {
                if renews { try renewIfDue(opened) }
                return try body(opened)
            } catch {
                // A damaged session is no reason to refuse the others.
                if error.code != .damaged { opened.failure = error }
                throw error
            }
        }
    }

    private var isOpen: Bool { opened.withLock { $0 != nil } }

    private func openedInTime() throws(StoreError) -> Opened {
        let end = ContinuousClock.now + Self.patience
        while true {
            do throws(StoreError) {
                return try open(PostgresConnection(database, path: path))
            } catch {
                let mayEnd = error.code == .unreachable || error.code == .busy && waitsForOwner
                guard mayEnd, ContinuousClock.now < end else { throw error }
                // Nothing reports that a server is reachable again, or that a lease has ended.
                usleep(100_000)
            }
        }
    }

    private func open(_ connection: PostgresConnection) throws(StoreError) -> Opened {
        try PostgresFormat.check(connection, syncsCommits: syncsCommits)
        do throws(StoreError) {
            try PostgresCluster.check(
                PostgresFormat.cluster(connection), joinedIn: WholeFile.directory(of: file), path)
            let note = try PostgresNote(of: file)
            let epoch = try acquire(connection, note)
            try note.follow(to: epoch)
            let origin = try PostgresFormat.origin(connection)
            let extent = try extent(connection, note, epoch, origin)
            try write(extent, origin, connection, epoch)
            try note.write(epoch: epoch, newest: extent.newest)
            return Opened(connection, note, epoch: epoch, extent)
        } catch {
            // `full` would say that nothing is stored yet.
            guard error.code == .full else { throw error }
            throw StoreError(.failed, path: error.path, error.detail)
        }
    }

    private func acquire(
        _ connection: PostgresConnection, _ note: PostgresNote
    ) throws(StoreError) -> UInt64 {
        _ = try connection.rows(JournalOwner.create, [.text(journal)])
        let acquired = try connection.rows(
            JournalOwner.acquire, [.text(journal), .text(note.machine), .text(address)])
        if acquired.count > 0 { return try acquired.number(0, 0) }
        let holder = try connection.rows(JournalOwner.holder, [.text(journal)])
        guard holder.count > 0 else { throw takenOver }
        throw StoreError(
            .busy, path: path,
            "\(try holder.text(0, 0)) has it; its lease is renewed while it lives, and otherwise "
                + "ends in \(try holder.number(0, 1)) s")
    }

    /// Reads the range of the journal's groups, and decides whether its history continues.
    private func extent(
        _ connection: PostgresConnection, _ note: PostgresNote, _ epoch: UInt64,
        _ origin: String
    ) throws(StoreError) -> StoreExtent {
        let known = try connection.rows(
            "SELECT trimmed, newest, history, origin FROM napkin.journals WHERE journal = $1",
            [.text(journal)])
        let isKnown = known.count > 0
        let trimmed = isKnown ? try known.number(0, 0) : 0
        let oldest = isKnown ? try known.number(0, 1) : 0
        let groups = try connection.rows(
            "SELECT count(*), coalesce(max(number), 0) FROM napkin.groups WHERE journal = $1",
            [.text(journal)])
        let (count, last) = (try groups.number(0, 0), max(trimmed, try groups.number(0, 1)))
        guard last >= oldest, last - trimmed == count else {
            throw damaged(
                "\(count) groups up to \(last), after \(trimmed) that are gone, of \(oldest)")
        }
        let isSame = isKnown ? try known.text(0, 3) == origin : false
        let goesOn = isKnown && note.isContinued(by: epoch, last, isSame: isSame)
        let history =
            goesOn
            ? UInt32(truncatingIfNeeded: try known.number(0, 2)) : .random(in: 1..<(.max))
        return StoreExtent(newest: last, trimmed: trimmed, history: history)
    }

    private func write(
        _ extent: StoreExtent, _ origin: String, _ connection: PostgresConnection, _ epoch: UInt64
    ) throws(StoreError) {
        let written = try connection.rows(
            """
            WITH o AS (\(JournalOwner.admit))
            INSERT INTO napkin.journals AS j SELECT $1, $3, $4, $5, $6 FROM o
            ON CONFLICT (journal) DO UPDATE SET
                newest = excluded.newest, history = excluded.history, origin = excluded.origin
            RETURNING trimmed
            """,
            [
                .text(journal), .number(epoch), .number(extent.trimmed), .number(extent.newest),
                .number(UInt64(extent.history)), .text(origin),
            ])
        guard written.count == 1 else { throw takenOver }
    }

    @discardableResult
    package func open() throws(StoreError) -> StoreExtent { try use { $0.extent } }

    private var takenOver: StoreError {
        StoreError(
            .takenOver, path: path,
            "another machine has taken the journal over; nothing more is written here")
    }

    private func damaged(_ detail: String) -> StoreError {
        StoreError(.damaged, path: path, detail)
    }

    // MARK: - Writing

    package func commit(_ commit: JournalCommit) throws(StoreError) {
        // The commit's own fence renews the lease.
        try use(renews: false) { (opened) throws(StoreError) in
            let newest = commit.newest(after: opened.extent.newest)
            // The row has it before anybody can believe that the timer is set.
            let due = commit.due ?? opened.due
            let renews = opened.isRenewalDue || due != opened.due
            if renews, due == nil { try asOwner(opened, JournalOwner.renew) }
            // Compute all checksums first: a server ends a transaction that is idle for 5 s.
            let statements = commit.pieces.map {
                PostgresCommit($0, newest: newest, renewing: renews ? due : nil)
            }
            // The first statement's fence keeps the journal ours until all have taken effect.
            if statements.count > 1 { try opened.connection.run("BEGIN") }
            for statement in statements {
                try asOwner(opened, statement.text, statement.values)
            }
            if statements.count > 1 { try opened.connection.run("COMMIT") }
            if renews { (opened.renewed, opened.isReleased, opened.due) = (.now, false, due) }
            opened.extent.newest = newest
            opened.extent.trimmed = max(opened.extent.trimmed, commit.trimmed)
            try opened.note.write(epoch: opened.epoch, newest: newest)
        }
    }

    /// A database's room is not known in advance: in a full database, the commit fails.
    package func reserve(_ bytes: Int) throws(StoreError) { try use { _ in } }

    /// Renews the lease, unless the journal was released: `use` does that.
    package func checkOwnership() throws(StoreError) {
        if isOpen { try use { _ in } }
    }

    private func renewIfDue(_ opened: Opened) throws(StoreError) {
        guard opened.isRenewalDue, !opened.isReleased else { return }
        try asOwner(opened, JournalOwner.renew)
        opened.renewed = .now
    }

    /// Runs a statement that returns a row if the journal is still this owner's.
    private func asOwner(
        _ opened: Opened, _ text: String, _ values: [PostgresValue] = []
    ) throws(StoreError) {
        let owner = [PostgresValue.text(journal), .number(opened.epoch)]
        guard try opened.connection.rows(text, owner + values).count == 1 else {
            try opened.note.release()
            throw takenOver
        }
    }

    /// Releases the journal, so that the next owner need not wait.
    package func shrink() throws(StoreError) {
        guard isOpen else { return }
        try use { (opened) throws(StoreError) in
            let sessions = try opened.connection.rows(
                "SELECT FROM napkin.sessions WHERE journal = $1 LIMIT 1", [.text(journal)])
            try asOwner(opened, JournalOwner.release)
            opened.isReleased = true
            try opened.note.release()
            if sessions.count == 0 { opened.note.remove() }
        }
    }

    package func backUp(to path: String) throws(StoreError) {
        let copy = path + ".copy"
        defer { for file in [copy, StoreFile.log(of: copy)] { StoreFile.remove(file) } }
        let store = SQLiteStore(path: copy, durability: .process)
        try copySessions(to: store)
        try store.backUp(to: path)
    }

    // MARK: - Reading

    package func groups(
        after number: GroupNumber, bytesMax: Int
    ) throws(StoreError) -> [JournalCommit.Group] {
        try use { (opened) throws(StoreError) in
            var next = max(number, opened.extent.trimmed) + 1
            let found = try opened.connection.rows(
                """
                SELECT number, bytes FROM (
                    SELECT *, sum(length(bytes)) OVER (ORDER BY number) - length(bytes) AS before
                    FROM (SELECT number, bytes FROM napkin.groups
                        WHERE journal = $1 AND number >= $2 ORDER BY number LIMIT $4) AS found
                ) AS summed
                WHERE number = $2 OR before + length(bytes) <= $3 ORDER BY number
                """,
                [
                    .text(journal), .number(next), .number(UInt64(bytesMax)),
                    .number(Self.groupsMax),
                ])
            var groups: [JournalCommit.Group] = []
            for row in 0..<found.count {
                guard try found.number(row, 0) == next else {
                    throw damaged("group \(next) is missing")
                }
                groups.append(.init(number: next, bytes: try found.bytes(row, 1)))
                next += 1
            }
            guard !groups.isEmpty || next > opened.extent.newest else {
                throw damaged("group \(next) is missing")
            }
            return groups
        }
    }

    package func sessions() throws(StoreError) -> [StoredSession] {
        try rows(
            """
            SELECT session, name, id, base, length(bytes)::bigint FROM napkin.sessions
            WHERE journal = $1 ORDER BY session
            """
        ) { (found, row) throws(StoreError) in
            StoredSession(
                session: try found.number(row, 0), name: try found.text(row, 1),
                id: try found.text(row, 2), base: try found.number(row, 3),
                bytes: Int(try found.number(row, 4)))
        }
    }

    package func dueTimes() throws(StoreError) -> [(session: SessionNumber, due: Int64?)] {
        try rows("SELECT session, due FROM napkin.sessions WHERE journal = $1") {
            (found, row) throws(StoreError) in
            let due = Int64(clamping: try found.number(row, 1))
            return (try found.number(row, 0), due == 0 ? nil : due)
        }
    }

    package func schemas() throws(StoreError) -> [StoredSchema] {
        try rows(
            "SELECT number, bytes, checksum FROM napkin.schemas WHERE journal = $1 ORDER BY number"
        ) { (found, row) throws(StoreError) in
            let schema = StoredSchema(
                number: try found.number(row, 0), bytes: try found.bytes(row, 1))
            guard schema.number == row + 1,
                try found.number(row, 2) == StoreFormat.checksum(of: schema)
            else { throw damaged("description \(row + 1) is missing or altered") }
            return schema
        }
    }

    package func image(of session: SessionNumber) throws(StoreError) -> StoredImage? {
        try use { (opened) throws(StoreError) in
            let found = try opened.connection.rows(
                """
                SELECT name, id, base, checksum, bytes FROM napkin.sessions
                WHERE journal = $1 AND session = $2
                """, [.text(journal), .number(session)])
            guard found.count > 0 else { return nil }
            let image = StoredImage(
                session: session, name: try found.text(0, 0), id: try found.text(0, 1),
                base: try found.number(0, 2), bytes: try found.bytes(0, 4))
            try image.check(try found.number(0, 3), newest: opened.extent.newest, path)
            return image
        }
    }

    private func rows<T: Sendable>(
        _ text: String, _ row: @Sendable (PostgresRows, Int) throws(StoreError) -> T
    ) throws(StoreError) -> [T] {
        try use { (opened) throws(StoreError) in
            let found = try opened.connection.rows(text, [.text(journal)])
            var all: [T] = []
            for index in 0..<found.count { all.append(try row(found, index)) }
            return all
        }
    }
}
