// CachePolicy: which of two sources is asked first, and when the other one is.
//
// Isolation  value; `fetch` runs where its caller runs.

/// The source that is asked first.
package nonisolated enum CachePolicy: Sendable, CaseIterable {
    case localFirst
    case remoteFirst
    case none

    /// Fetches a value from the source that this policy chooses.
    ///
    /// - `localFirst`: the cache; the server only for what the cache does not have.
    /// - `remoteFirst`: the server; the cache if the server fails.
    /// - `none`: only the server; nothing is kept.
    ///
    /// Throws the server's error if no source has the value. A caller that was cancelled gets
    /// nothing from the cache.
    package func fetch<Value>(
        fromRemote: () async throws(LoadError) -> Value, fromCache: () async -> Value?,
        saveToCache: (Value) async -> Void
    ) async throws(LoadError) -> Fetched<Value> {
        if self == .localFirst, let known = await fromCache() {
            return Fetched(value: known, source: .cache(failure: nil))
        }
        do throws(LoadError) {
            let value = try await fromRemote()
            if self != .none { await saveToCache(value) }
            return Fetched(value: value, source: .remote)
        } catch {
            guard self == .remoteFirst, error != .cancelled, let known = await fromCache() else {
                throw error
            }
            return Fetched(value: known, source: .cache(failure: error))
        }
    }
}

/// A value, and which source had it.
package nonisolated struct Fetched<Value> {
    package nonisolated enum Source: Equatable, Sendable {
        case remote
        /// - Parameter failure: why the server did not return it, if the server was asked first.
        case cache(failure: LoadError?)
    }

    package let value: Value
    package let source: Source
}
