// Transport: sends a request and brings the response.
//
// Layer      networking.
// Isolation  any thread.

/// The way to the server. Tests have their own.
package protocol Transport: Sendable {
    /// Where the requests go, in words.
    var server: String { get }

    /// Throws `.offline`, `.badData`, and `.cancelled` soon after the calling task was cancelled.
    func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse
}
