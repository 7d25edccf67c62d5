// Problem: why something cannot be shown, as a type: each front chooses its words.

public import NapkinCore

/// A problem between the worker and the server.
@Message
public enum Problem: Hashable {
    /// Nobody answers at this address.
    case offline(server: String)
    /// The server has nothing with that name.
    case notFound(name: String)
    /// The server has sent an answer that it must not send.
    case badData(reason: String)
    /// The server has not answered within so many seconds.
    case timeout(seconds: Int64)
    /// The worker has been started with unusable settings.
    case settings(reason: String)
}
