// ControlRequest: changes the behaviour of a running server.
//
// Isolation  any thread.

import FlyingFox
import FlyingSocks
import Foundation

/// The request of `characters-server control`.
struct ControlRequest {
    let conduct: Conduct

    func send(to port: UInt16) async throws {
        let request = HTTPRequest(
            method: .POST, version: .http11, path: "/control", query: [],
            headers: [.host: "127.0.0.1", .connection: "close"],
            body: try JSONEncoder().encode(conduct))
        var client = HTTPClient()
        let response: HTTPResponse
        do {
            response = try await client.sendHTTPRequest(
                request, to: .inet(ip4: "127.0.0.1", port: port))
        } catch {
            throw ServerFailure("nobody listens at 127.0.0.1:\(port); give its --port")
        }
        guard response.statusCode == .ok else {
            throw ServerFailure("it refuses, with the status \(response.statusCode.code)")
        }
    }
}
