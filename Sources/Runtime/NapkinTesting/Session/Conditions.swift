// Conditions: wakes waiting tasks after a change, to check their conditions again.

@MainActor
final class Conditions {
    private var waiters: [(isMet: () -> Bool, continuation: CheckedContinuation<Void, Never>)] = []

    /// Returns when `isMet` is true: at once, or after a call of ``changed()``.
    func until(_ isMet: @escaping () -> Bool) async {
        if isMet() { return }
        await withCheckedContinuation { waiters.append((isMet, $0)) }
    }

    func changed() {
        let met = waiters.filter { $0.isMet() }
        waiters.removeAll { $0.isMet() }
        for waiter in met { waiter.continuation.resume() }
    }
}
