// ServerTransport: sends requests by AsyncHTTPClient.
//
// Isolation  any thread: `@concurrent`, so that it never runs on the worker's loop.
// Ownership  the client lives as long as the process, a connection as long as its request: one that
//            is kept would fail the first request after a restart of the server.

import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The real transport.
package nonisolated struct ServerTransport: Transport {
    /// Bytes of a body. Chosen: four of the largest picture.
    package static let bodyBytesMax = 262_144

    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        configuration.connectionPool.idleTimeout = .zero
        // Whoever asks tries again, and knows how long to wait.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(configuration: configuration)
    }()

    package let server: String

    package init(to address: ServerAddress) { server = address.description }

    @concurrent
    package func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
        var message = HTTPClientRequest(url: "http://\(server)\(request.path)")
        if let body = request.body {
            message.method = .POST
            message.headers.add(name: "Content-Type", value: "application/json")
            message.body = .bytes(body)
        }
        var hasBegun = false
        do {
            let response = try await Self.client.execute(message, deadline: .distantFuture)
            hasBegun = true
            let body = try await response.body.collect(upTo: Self.bodyBytesMax)
            return HTTPResponse(
                status: Int(response.status.code), body: Array(body.readableBytesView))
        } catch {
            if Task.isCancelled { throw .cancelled }
            switch error {
            case is NIOTooManyBytesError:
                throw .badData("its body has over \(Self.bodyBytesMax) bytes")
            case HTTPParserError.invalidEOFState: throw .badData("it ends in the middle")
            case let error as HTTPParserError: throw .badData("it is not HTTP: \(error)")
            // The server has gone, or was never more than a listening socket.
            default: throw hasBegun ? .badData("it ends in the middle") : .offline(server)
            }
        }
    }
}
