// DirectWindow: how many events of a front may be under way at once.
//
// Layer      testing.
// Isolation  @MainActor.
// Invariant  at most `Limits.eventWindow` are; others wait in the order in which they came.

import NapkinProtocol

/// The credit of one front.
@MainActor
final class DirectWindow {
    private(set) var outstanding = 0
    private var waiting: [CheckedContinuation<Bool, Never>] = []
    private var isClosed = false

    /// Waits for credit; false when the front has left meanwhile.
    func enter() async -> Bool {
        if isClosed { return false }
        guard outstanding == Limits.eventWindow else {
            outstanding += 1
            return true
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives the credit to whoever has waited longest.
    func leave() {
        if waiting.isEmpty {
            outstanding -= 1
        } else {
            waiting.removeFirst().resume(returning: true)
        }
    }

    func close() {
        isClosed = true
        for waiter in waiting { waiter.resume(returning: false) }
        waiting = []
    }
}
