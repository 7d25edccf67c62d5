// Ticker: calls at a steady interval, the first time one interval from now.
//
// Layer      feature.
// Isolation  value; each run is a task of its own.

/// What a service that lives by itself is driven by.
struct Ticker: Sendable {
    let interval: Duration
    let sleep: Tempo.Sleep

    /// Calls `tick` until the task is cancelled or `tick` returns false.
    ///
    /// `tick` runs in the task: it sees `Task.isCancelled`.
    func start(_ tick: @escaping @Sendable () async -> Bool) -> Task<Void, Never> {
        Task { [interval, sleep] in
            while !Task.isCancelled {
                do {
                    try await sleep(interval)
                } catch {
                    // Cancelled: the service has been stopped.
                    return
                }
                guard await tick() else { return }
            }
        }
    }
}
