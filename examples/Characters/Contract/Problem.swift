// Problem: why something cannot be shown, as a type: each front has its own words for it.
//
// Layer      contract: shared by the worker and its fronts.
// Isolation  value.

public import NapkinCore

/// What has gone wrong between the worker and the server.
@Message
public enum Problem: Hashable {
    /// Nobody answers at this address.
    case offline(server: String)
    /// The server knows nothing of that name.
    case notFound(name: String)
    /// The server has answered something that it must not answer.
    case badData(reason: String)
    /// The server has not answered in so many seconds.
    case timeout(seconds: Int64)
    /// The worker has been started with settings that make no sense.
    case settings(reason: String)
}
