// Transport: sends a request and returns the response.
//
// Isolation  any thread.

/// A request to the server.
package nonisolated struct HTTPRequest: Hashable, Sendable {
    package let path: String
    /// JSON to post; `nil` for a GET.
    package let body: [UInt8]?

    package static func get(_ path: String) -> HTTPRequest { HTTPRequest(path: path, body: nil) }

    package static func post(_ path: String, _ body: [UInt8]) -> HTTPRequest {
        HTTPRequest(path: path, body: body)
    }
}

/// The server's answer.
package nonisolated struct HTTPResponse: Hashable, Sendable {
    package let status: Int
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// The connection to the server. Tests have their own.
package nonisolated protocol Transport: Sendable {
    /// The destination of the requests, in words.
    var server: String { get }

    /// Throws `.offline`, `.badData`, and `.cancelled` soon after the calling task was cancelled.
    @concurrent func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse
}
