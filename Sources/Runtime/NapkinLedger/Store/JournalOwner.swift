// JournalOwner: the rules by which machines share a database's journals.
//
// Layer      ledger. Pure; the statements beside the rules are what a server runs of them.
// Invariant  at most one epoch of a journal is admitted; a clock decides when it may be followed
//            by another one, and never who commits.
// Spec       Protocol/LEDGER.md, "PostgreSQL"

/// The row of a journal that says whose it is. Times are the server's, in milliseconds.
struct JournalOwner: Hashable, Sendable {
    /// How long a silent owner keeps a journal. Chosen: a database is restarted in less.
    static let leaseSeconds: Int64 = 5
    /// The least time between two renewals. Chosen: several may fail within a lease, and the row is
    /// rewritten rarely.
    static let renewal = Duration.seconds(1)

    var epoch: UInt64 = 0
    var machine = ""
    var expires: Int64 = 0

    enum Acquisition: Equatable {
        case acquired(epoch: UInt64)
        /// Somebody else has it, for so many milliseconds at least.
        case busy(Int64)
    }

    /// A machine that has the place already takes it over: its lock says that its former worker is
    /// dead.
    mutating func acquire(for machine: String, at now: Int64) -> Acquisition {
        guard expires <= now || self.machine == machine else { return .busy(expires - now) }
        epoch += 1
        self.machine = machine
        expires = now + Self.leaseSeconds * 1000
        return .acquired(epoch: epoch)
    }

    /// Whether the owner of an epoch may commit, even after its lease.
    func admits(_ epoch: UInt64) -> Bool { self.epoch == epoch }

    /// Returns whether it is still the owner's.
    mutating func renew(_ epoch: UInt64, at now: Int64) -> Bool {
        guard admits(epoch) else { return false }
        expires = now + Self.leaseSeconds * 1000
        return true
    }

    /// Lets others acquire it. The owner may still commit until somebody has.
    mutating func release(_ epoch: UInt64, at now: Int64) -> Bool {
        guard admits(epoch) else { return false }
        expires = now
        return true
    }
}

extension JournalOwner {
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
    /// Renews, and notes when the journal's first timer or job is due.
    ///
    /// - Parameter due: the number of the parameter with that time.
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
