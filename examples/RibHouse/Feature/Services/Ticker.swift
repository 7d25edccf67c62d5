// Ticker: calls at a steady interval, the first time one interval from now.
//
// Isolation  value; each run is a separate task.

import NapkinCore

/// Drives a service that changes by itself.
struct Ticker: Sendable {
    let interval: Duration
    let clock: AnyClock

    /// Calls `tick` until the task is cancelled or `tick` returns false.
    ///
    /// `tick` runs in the task: it sees `Task.isCancelled`.
    func start(_ tick: @escaping @Sendable () async -> Bool) -> Task<Void, Never> {
        Task { [interval, clock] in
            while !Task.isCancelled {
                do {
                    try await clock.sleep(for: interval)
                } catch {
                    // Cancelled: the service has been stopped.
                    return
                }
                guard await tick() else { return }
            }
        }
    }
}
