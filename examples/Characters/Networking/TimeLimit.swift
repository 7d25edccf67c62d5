// TimeLimit: work that takes too long fails.
//
// Isolation  any thread; the work and the limit are tasks of a group.

nonisolated extension Clock where Duration == Swift.Duration {
    /// Returns the result of `work`, or throws `.timeout` if it takes longer than `limit`. Returns
    /// when both have ended: `work` has to end soon after its task is cancelled.
    func within<T: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws(LoadError) -> T
    ) async throws(LoadError) -> T {
        let outcome = await withTaskGroup(of: Result<T, LoadError>.self) { group in
            group.addTask { await Result(catching: work) }
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
        return try outcome.get()
    }
}
