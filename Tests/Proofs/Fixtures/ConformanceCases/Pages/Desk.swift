// Desk: what the features of one session share.
//
// Isolation  Sendable.

import NapkinTesting
import Synchronization

/// What takes a desk's notes elsewhere.
protocol DeskListener: AnyObject, Sendable {
    func note(_ line: String)
}

/// A clock that an event moves, a journal, and how many pages are active.
final class Desk: Sendable {
    let clock = ManualClock()
    let journal = Journal()
    let pages = Mutex(0)

    /// The stand, for a page in another process, which keeps it; there, nobody reads the journal.
    let remote: (any PageListener & DeskListener)?

    init(remote: (any PageListener & DeskListener)? = nil) { self.remote = remote }

    func note(_ line: String) {
        if let remote { remote.note(line) } else { journal.note(line) }
    }

    /// What all sessions of the process share: where one without fronts can be heard of.
    static let street = Journal()
}
