// TimeLimit: work that takes too long fails.
//
// Layer      networking.
// Isolation  any thread; the work and the limit are tasks of a group.

extension Clock where Duration == Swift.Duration {
    /// Returns the outcome of `work`, or `.timeout` if it takes longer than `limit`. Returns when
    /// both have ended: `work` has to end soon after its task is cancelled.
    func within<T: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async -> Result<T, LoadError>
    ) async -> Result<T, LoadError> {
        await withTaskGroup(of: Result<T, LoadError>.self) { group in
            group.addTask { await work() }
            group.addTask {
                do {
                    try await self.sleep(for: limit)
                } catch {
                    return .failure(.cancelled)
                }
                return .failure(.timeout(limit))
            }
            let first = await group.next() ?? .failure(.cancelled)
            group.cancelAll()
            return first
        }
    }
}
