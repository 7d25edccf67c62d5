// InFlight: one request for a key, however many callers wait for it.
//
// Isolation  any thread (Mutex).
// Ownership  a request lives as long as a caller waits for it.
// Invariant  at most one request for a key runs that has not been given up.

import Synchronization

/// Work under way, by its key.
///
/// A cancelled caller stops waiting at once, and the others continue; when no caller waits any
/// longer, the work is cancelled, and the next caller begins it again.
package nonisolated final class InFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private typealias Outcome = Result<Value, LoadError>

    private struct Entry {
        /// A separate number: the key may have been given up, and begun again.
        let number: UInt64
        var work: Task<Void, Never>?
        var waiters: [UInt64: CheckedContinuation<Outcome, Never>] = [:]
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var lastNumber: UInt64 = 0
        /// Waiters that were cancelled before they began to wait.
        var cancelled: Set<UInt64> = []

        mutating func nextNumber() -> UInt64 {
            lastNumber += 1
            return lastNumber
        }
    }

    private let state = Mutex(State())

    package init() {}

    /// Returns how many callers wait for a key.
    package func waiters(for key: Key) -> Int {
        state.withLock { $0.entries[key]?.waiters.count ?? 0 }
    }

    /// Returns the value of `work`, or of work for the same key that is already under way.
    package func value(
        for key: Key, _ work: @escaping @Sendable () async throws(LoadError) -> Value
    ) async throws(LoadError) -> Value {
        let waiter = state.withLock { $0.nextNumber() }
        // A cancellation between the outcome and this point has no effect.
        defer { state.withLock { _ = $0.cancelled.remove(waiter) } }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(waiter, continuation, for: key, work)
            }
        } onCancel: {
            leave(waiter, key)
        }
        return try outcome.get()
    }

    private func wait(
        _ waiter: UInt64, _ continuation: CheckedContinuation<Outcome, Never>, for key: Key,
        _ work: @escaping @Sendable () async throws(LoadError) -> Value
    ) {
        let isCancelled = state.withLock { state in
            if state.cancelled.remove(waiter) != nil { return true }
            if state.entries[key] == nil {
                let number = state.nextNumber()
                state.entries[key] = Entry(number: number)
                // It cannot finish before this lock is released.
                state.entries[key]?.work = Task { [self] in
                    finish(number, key, await Result(catching: work))
                }
            }
            state.entries[key]?.waiters[waiter] = continuation
            return false
        }
        if isCancelled { continuation.resume(returning: .failure(.cancelled)) }
    }

    private func finish(_ number: UInt64, _ key: Key, _ outcome: Outcome) {
        let entry = state.withLock { state -> Entry? in
            guard state.entries[key]?.number == number else { return nil }
            return state.entries.removeValue(forKey: key)
        }
        for waiter in entry?.waiters.values ?? [:].values { waiter.resume(returning: outcome) }
    }

    private func leave(_ waiter: UInt64, _ key: Key) {
        let (continuation, abandoned) = state.withLock { state in
            guard let continuation = state.entries[key]?.waiters.removeValue(forKey: waiter) else {
                state.cancelled.insert(waiter)
                return (nil as CheckedContinuation<Outcome, Never>?, nil as Task<Void, Never>?)
            }
            guard state.entries[key]?.waiters.isEmpty == true else { return (continuation, nil) }
            return (continuation, state.entries.removeValue(forKey: key)?.work)
        }
        abandoned?.cancel()
        continuation?.resume(returning: .failure(.cancelled))
    }
}
