// JournalOwner: the statements by which machines share a database's journals.
//
// Invariant  at most one epoch of a journal is admitted. The clock decides when the next epoch may
//            be admitted, never who commits.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

/// The row of a journal that names its owner. Times are the server's.
enum JournalOwner {
    /// How long a silent owner keeps a journal. Chosen: a database restarts in less time.
    static let leaseSeconds: Int64 = 5
    /// The least time between two renewals. Chosen: several may fail within a lease, and the row is
    /// rewritten rarely.
    static let renewal = Duration.seconds(1)

    private static let lease = "now() + interval '\(leaseSeconds) s'"

    static let create = """
        INSERT INTO napkin.owner VALUES ($1, 0, '', '', '-infinity')
        ON CONFLICT DO NOTHING
        """
    static let acquire = """
        UPDATE napkin.owner SET epoch = epoch + 1, machine = $2, address = $3, expires = \(lease)
        WHERE journal = $1 AND (expires <= now() OR machine = $2) RETURNING epoch
        """
    static let holder = """
        SELECT address, greatest(0, ceil(extract(epoch FROM expires - now())))::bigint
        FROM napkin.owner WHERE journal = $1
        """
    /// Nobody can acquire the journal until the statement has ended.
    static let admit = "SELECT FROM napkin.owner WHERE journal = $1 AND epoch = $2 FOR SHARE"
    static let renew = """
        UPDATE napkin.owner SET expires = \(lease) WHERE journal = $1 AND epoch = $2
        RETURNING epoch
        """
    /// Renews the lease, and notes when the journal's first timer or job is due.
    ///
    /// - Parameter due: the number of the statement's parameter with that time.
    static func renew(due: Int) -> String {
        """
        UPDATE napkin.owner SET expires = \(lease), due = $\(due)
        WHERE journal = $1 AND epoch = $2 RETURNING epoch
        """
    }
    static let release = """
        UPDATE napkin.owner SET expires = now() WHERE journal = $1 AND epoch = $2 RETURNING epoch
        """
}
