// CachePolicy: whether the cache or the server is asked first.

public import NapkinCore

/// The source that is asked first.
@Message
public enum CachePolicy: String, CaseIterable {
    /// The cache; the server only for what is missing or too old.
    case localFirst
    /// The server; the cache if the server fails.
    case remoteFirst
    /// Only the server. Nothing is kept.
    case none
}
