// TicketBook: the tickets that a worker accepts.
//
// Invariant  a ticket is taken at most once; at most `Limits.ticketsMax` are kept, and at most
//            `Limits.ticketsPerProcessMax` for one process.
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

/// The unused tickets that napkind has announced.
public struct TicketBook: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var session: String
        var expires: UInt64
        var pid: Int32
    }

    private var entries: [String: Entry] = [:]
    /// The number of tickets kept for each process that asked.
    private var counts: [Int32: Int] = [:]

    public init() {}

    /// The number of announced and unused tickets, including some that have expired.
    public var count: Int { entries.count }

    /// Adds a ticket at `now`, in milliseconds; returns false if there are too many.
    public mutating func add(_ admit: Admit, now: UInt64) -> Bool {
        if !hasRoom(for: admit.pid) { remove { $0.expires <= now } }
        guard hasRoom(for: admit.pid) else { return false }
        let expires = now + UInt64(Limits.ticketSeconds) * 1000
        entries[admit.ticket] = Entry(session: admit.session, expires: expires, pid: admit.pid)
        counts[admit.pid, default: 0] += 1
        return true
    }

    private func hasRoom(for pid: Int32) -> Bool {
        entries.count < Limits.ticketsMax
            && counts[pid, default: 0] < Limits.ticketsPerProcessMax
    }

    private mutating func remove(where shouldRemove: (Entry) -> Bool) {
        for (ticket, entry) in entries where shouldRemove(entry) { remove(ticket) }
    }

    @discardableResult
    private mutating func remove(_ ticket: String) -> Entry? {
        guard let entry = entries.removeValue(forKey: ticket) else { return nil }
        if let count = counts[entry.pid] { counts[entry.pid] = count > 1 ? count - 1 : nil }
        return entry
    }

    /// Returns the session that the ticket names, once, while it is valid.
    public mutating func redeem(_ ticket: String, now: UInt64) -> String? {
        guard let entry = remove(ticket), entry.expires > now else { return nil }
        return entry.session
    }

    /// Forgets the tickets that have expired at `now`, in milliseconds.
    public mutating func forgetExpired(at now: UInt64) { remove { $0.expires <= now } }

    /// Forgets the tickets of a session that has been killed.
    public mutating func revoke(session: String) { remove { $0.session == session } }

    /// A session was renamed: its tickets now name the new session.
    public mutating func rename(_ session: String, to name: String) {
        for (ticket, entry) in entries where entry.session == session {
            entries[ticket]?.session = name
        }
    }
}
