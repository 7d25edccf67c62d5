// RoutingQueue: runs one routing operation of a parent at a time, in the order requested.
//
// Invariant  one owner; the owner's own nested operations run inside, others wait in order.

/// Serialises a router's transitions, and lets the owning task nest further ones.
@MainActor
final class RoutingQueue {
    private var owner: TaskIdentity?
    private var isTaken = false
    private var waiters: [(id: UInt64, continuation: CheckedContinuation<Bool, Never>)] = []
    private var nextID: UInt64 = 0

    /// Runs `body` alone. If its task is cancelled while it waits, `body` does not run, since the
    /// scope that asked is ending. Returns whether `body` ran.
    @discardableResult
    func run(_ body: () async -> Void) async -> Bool {
        let task = TaskIdentity.effective
        if isTaken, task != nil, owner == task {
            await body()
            return true
        }
        if isTaken {
            guard await turn() else { return false }
        }
        isTaken = true
        owner = task
        await body()
        owner = nil
        passOn()
        return true
    }

    private func passOn() {
        guard !waiters.isEmpty else {
            isTaken = false
            return
        }
        // The queue stays taken, so that nobody enters between the hand-over and the resume.
        waiters.removeFirst().continuation.resume(returning: true)
    }

    private func turn() async -> Bool {
        nextID += 1
        let id = nextID
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(returning: false)
                } else {
                    waiters.append((id, continuation))
                }
            }
        } onCancel: {
            Task { @MainActor in self.abandon(id) }
        }
    }

    private func abandon(_ id: UInt64) {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return }
        waiters.remove(at: index).continuation.resume(returning: false)
    }
}
