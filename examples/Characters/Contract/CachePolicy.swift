// CachePolicy: what is asked first, the cache or the server.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.

public import NapkinCore

/// What is asked first.
@Message
public enum CachePolicy: String, CaseIterable {
    /// The cache; the server only for what is not there, or too old.
    case localFirst
    /// The server; the cache when that fails.
    case remoteFirst
    /// The server alone. Nothing is kept.
    case none
}
