// DirectWindow: limits how many events of a front may be under way at once.
//
// Invariant  at most `Limits.eventWindow` are; others begin in the order in which they came.

import NapkinProtocol

/// The credit of one front.
@MainActor
final class DirectWindow {
    private(set) var outstanding = 0
    private var waiting: [(Bool) -> Void] = []
    private var isClosed = false

    /// Calls `begin` with true when there is credit, or with false if the front has left first.
    func enter(_ begin: @escaping (_ isGranted: Bool) -> Void) {
        if isClosed {
            begin(false)
        } else if outstanding == Limits.eventWindow {
            waiting.append(begin)
        } else {
            outstanding += 1
            begin(true)
        }
    }

    /// Gives the credit to the caller that has waited longest.
    func leave() {
        if waiting.isEmpty {
            outstanding -= 1
        } else {
            waiting.removeFirst()(true)
        }
    }

    func close() {
        isClosed = true
        let refused = waiting
        waiting = []
        for begin in refused { begin(false) }
    }
}
