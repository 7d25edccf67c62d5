// Desk: what the features of one session share.
//
// Isolation  Sendable.

import NapkinTesting
import Synchronization

/// A clock that an event moves, a journal, and how many pages are active.
final class Desk: Sendable {
    let clock = ManualClock()
    let journal = Journal()
    let pages = Mutex(0)
    let readings = Mutex(0)

    /// What all sessions of the process share: where one without fronts can be heard of.
    static let street = Journal()
}
