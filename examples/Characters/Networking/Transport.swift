// Transport: sends a request and returns the response.
//
// Layer      networking.
// Isolation  any thread.

/// The connection to the server. Tests have their own.
package protocol Transport: Sendable {
    /// The destination of the requests, in words.
    var server: String { get }

    /// Throws `.offline`, `.badData`, and `.cancelled` soon after the calling task was cancelled.
    func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse
}
