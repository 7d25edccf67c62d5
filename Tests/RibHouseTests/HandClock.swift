// HandClock: time that passes when a test says so.

import Synchronization

/// Everything that sleeps is found by how long it wants to sleep.
final class HandClock: Sendable {
    private struct Sleeper {
        var id: UInt64
        var duration: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var lastID: UInt64 = 0
        var sleepers: [Sleeper] = []
        var callers: [(duration: Duration, continuation: CheckedContinuation<Void, Never>)] = []
        var cancelled: Set<UInt64> = []

        mutating func callers(of duration: Duration) -> [CheckedContinuation<Void, Never>] {
            let called = callers.filter { $0.duration == duration }
            callers.removeAll { $0.duration == duration }
            return called.map(\.continuation)
        }
    }

    private let state = Mutex(State())

    /// How many sleep for `duration` now.
    func sleepers(for duration: Duration) -> Int {
        state.withLock { $0.sleepers.count { $0.duration == duration } }
    }

    func sleep(_ duration: Duration) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Void, any Error>) in
                let callers = state.withLock { state in
                    if state.cancelled.remove(id) != nil {
                        continuation.resume(throwing: CancellationError())
                        return [CheckedContinuation<Void, Never>]()
                    }
                    state.sleepers.append(
                        Sleeper(id: id, duration: duration, continuation: continuation))
                    return state.callers(of: duration)
                }
                for caller in callers { caller.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Returns when somebody sleeps for `duration`.
    func sleeper(for duration: Duration) async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.sleepers.contains(where: { $0.duration == duration }) { return true }
                state.callers.append((duration, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    /// Wakes whoever has slept for `duration` the longest, and waits for one if there is none.
    func pass(_ duration: Duration) async {
        while true {
            await sleeper(for: duration)
            let sleeper = state.withLock { state -> Sleeper? in
                guard let index = state.sleepers.firstIndex(where: { $0.duration == duration })
                else { return nil }
                return state.sleepers.remove(at: index)
            }
            guard let sleeper else { continue }
            sleeper.continuation.resume()
            return
        }
    }
}
