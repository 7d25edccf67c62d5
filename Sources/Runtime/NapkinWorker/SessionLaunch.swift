// SessionLaunch: lets callers wait for the launch of a session's tree.
//
// Ownership  a session holds it while its tree is being launched. It is not the launching task,
//            because a retained task keeps all of its memory, several KiB.

import NapkinProtocol
import NapkinTransport

/// Ends when the tree has been launched, or with the reason why it cannot be launched.
@MainActor
final class SessionLaunch {
    private var outcome: Refusal??
    private var waiters: [CheckedContinuation<Refusal?, Never>] = []

    /// Returns the reason if the tree cannot be launched, once that is known.
    var refusal: Refusal? {
        get async {
            if let outcome { return outcome }
            return await withCheckedContinuation { waiters.append($0) }
        }
    }

    func ended(_ refusal: Refusal?) {
        outcome = .some(refusal)
        let waiters = waiters
        self.waiters = []
        Loop.keepingResumesOnLoop { for waiter in waiters { waiter.resume(returning: refusal) } }
    }
}
