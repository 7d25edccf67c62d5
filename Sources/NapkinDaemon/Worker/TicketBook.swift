// TicketBook: the tickets that a worker will take.
//
// Layer      daemon. Pure: time is a parameter.
// Isolation  value.
// Invariant  a ticket is taken at most once; at most `Limits.ticketsMax` are kept.
// Spec       Protocol/SPEC.md, section 3 (Identifiers)

import NapkinProtocol

/// Tickets announced by napkind and not used yet.
struct TicketBook: Sendable {
    private var entries: [String: (session: String, expires: UInt64)] = [:]

    /// Takes note of a ticket at `now`, in milliseconds.
    mutating func add(_ admit: Admit, now: UInt64) {
        if entries.count >= Limits.ticketsMax {
            entries = entries.filter { $0.value.expires > now }
        }
        guard entries.count < Limits.ticketsMax else { return }
        let expires = now + UInt64(Limits.ticketSeconds) * 1000
        entries[admit.ticket] = (admit.session, expires)
    }

    /// The session that the ticket names, once, while it is good.
    mutating func redeem(_ ticket: String, now: UInt64) -> String? {
        guard let entry = entries.removeValue(forKey: ticket), entry.expires > now else {
            return nil
        }
        return entry.session
    }

    /// Forgets the tickets of a session that has been killed.
    mutating func revoke(session: String) {
        entries = entries.filter { $0.value.session != session }
    }
}
