// TicketBook: the tickets that a worker will take.
//
// Layer      sans-I/O core. Time is a parameter.
// Isolation  none of its own; a value owned by one worker.
// Invariant  a ticket is taken at most once; at most `Limits.ticketsMax` are kept.
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

/// Tickets announced by napkind and not used yet.
public struct TicketBook: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var session: String
        var expires: UInt64
    }

    private var entries: [String: Entry] = [:]

    public init() {}

    /// Those that have been announced and not used, also some that are too old by now.
    public var count: Int { entries.count }

    /// Takes note of a ticket at `now`, in milliseconds.
    public mutating func add(_ admit: Admit, now: UInt64) {
        if entries.count >= Limits.ticketsMax {
            entries = entries.filter { $0.value.expires > now }
        }
        guard entries.count < Limits.ticketsMax else { return }
        let expires = now + UInt64(Limits.ticketSeconds) * 1000
        entries[admit.ticket] = Entry(session: admit.session, expires: expires)
    }

    /// The session that the ticket names, once, while it is good.
    public mutating func redeem(_ ticket: String, now: UInt64) -> String? {
        guard let entry = entries.removeValue(forKey: ticket), entry.expires > now else {
            return nil
        }
        return entry.session
    }

    /// Forgets the tickets of a session that has been killed.
    public mutating func revoke(session: String) {
        entries = entries.filter { $0.value.session != session }
    }

    /// A session has another name: its tickets are good for it.
    public mutating func rename(_ session: String, to name: String) {
        for (ticket, entry) in entries where entry.session == session {
            entries[ticket]?.session = name
        }
    }
}
