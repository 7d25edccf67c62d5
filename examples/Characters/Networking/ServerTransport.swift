// ServerTransport: sends requests by SwiftNIO.
//
// Isolation  any thread: `@concurrent`, so that it never runs on the worker's loop.
// Ownership  a connection lives as long as its request: one that is kept would fail the first
//            request after a restart of the server.

import NIOCore
import NIOHTTP1
import NIOPosix

/// The real transport.
package nonisolated struct ServerTransport: Transport {
    /// Bytes of a body. Chosen: four of the largest picture.
    package static let bodyBytesMax = 262_144

    private typealias Connection = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    private let address: ServerAddress

    package init(to address: ServerAddress) { self.address = address }

    package var server: String { address.description }

    @concurrent
    package func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
        let connection: Connection
        do {
            connection = try await connect()
        } catch {
            throw Task.isCancelled ? .cancelled : .offline(server)
        }
        var status: Int?
        do {
            return try await connection.executeThenClose { responses, requests in
                try await requests.write(contentsOf: parts(of: request))
                var body: [UInt8] = []
                for try await part in responses {
                    switch part {
                    case .head(let head):
                        status = Int(head.status.code)
                        let length = head.headers.first(name: "Content-Length").flatMap(Int.init)
                        try checkBody(of: length ?? 0)
                    case .body(let bytes):
                        try checkBody(of: body.count + bytes.readableBytes)
                        body += bytes.readableBytesView
                    case .end:
                        if let status { return HTTPResponse(status: status, body: body) }
                    }
                }
                throw HTTPParserError.invalidEOFState
            }
        } catch {
            if Task.isCancelled { throw .cancelled }
            switch error {
            case let error as LoadError: throw error
            case let error as HTTPParserError where error != .invalidEOFState:
                throw .badData("it is not HTTP: \(error)")
            // The server has gone, or was never more than a listening socket.
            default: throw status == nil ? .offline(server) : .badData("it ends in the middle")
            }
        }
    }

    private func checkBody(of count: Int) throws(LoadError) {
        guard count <= Self.bodyBytesMax else {
            throw .badData("its body has over \(Self.bodyBytesMax) bytes")
        }
    }

    private func connect() async throws -> Connection {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            // A connection that is being made cannot be cancelled. Chosen: a server is near.
            .connectTimeout(.seconds(2))
            .connect(host: address.host, port: Int(address.port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    return try Connection(wrappingChannelSynchronously: channel)
                }
            }
    }

    private func parts(of request: HTTPRequest) -> [HTTPClientRequestPart] {
        var headers: HTTPHeaders = ["Host": server, "Connection": "close"]
        guard let body = request.body else {
            return [
                .head(.init(version: .http1_1, method: .GET, uri: request.path, headers: headers)),
                .end(nil),
            ]
        }
        headers.add(name: "Content-Type", value: "application/json")
        headers.add(name: "Content-Length", value: String(body.count))
        return [
            .head(.init(version: .http1_1, method: .POST, uri: request.path, headers: headers)),
            .body(.byteBuffer(ByteBuffer(bytes: body))), .end(nil),
        ]
    }
}
