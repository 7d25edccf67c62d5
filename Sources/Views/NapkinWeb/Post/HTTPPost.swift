// HTTPPost: sends a body to a server, and returns its answer.
//
// Isolation  any thread: NIO runs it on a separate thread, which ends with the process.
// Invariant  each request has its own connection, and `seconds` from its beginning to its end.

import NIOCore
import NIOHTTP1
import NIOPosix

package enum HTTPPost {
    /// Seconds for a request. Chosen: as in OTLP's own exporters.
    private static let seconds: Int64 = 10
    /// Bytes of an answer. Chosen: a collector answers with a sentence.
    private static let answerBytesMax = 64 * 1024

    package struct Answer: Equatable, Sendable {
        package var status: Int
        package var body: [UInt8]
        /// The seconds for which the server asks not to be contacted.
        package var pause: Int?

        package init(status: Int, body: [UInt8], pause: Int? = nil) {
            (self.status, self.body, self.pause) = (status, body, pause)
        }
    }

    /// The reason why there is no answer.
    package struct Failure: Error {
        package let reason: String
    }

    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    package static func json(
        _ body: [UInt8], to address: HTTPAddress, below path: String
    ) async throws(Failure) -> Answer {
        let loop = group.next()
        let answer = loop.makePromise(of: Answer.self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(.seconds(seconds))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandlers([
                        NIOHTTPClientResponseAggregator(maxContentLength: answerBytesMax),
                        AnswerReader(answer),
                    ])
                }
            }
        do {
            let channel = try await bootstrap.connect(host: address.host, port: address.port).get()
            let deadline = loop.scheduleTask(in: .seconds(seconds)) {
                answer.fail(Failure(reason: "it does not answer within \(seconds) s"))
                channel.close(promise: nil)
            }
            defer {
                deadline.cancel()
                channel.close(promise: nil)
            }
            try await send(body, to: address, below: path, on: channel)
            return try await answer.futureResult.get()
        } catch {
            // A promise must be completed; it may have been completed already.
            answer.fail(error)
            throw (error as? Failure) ?? Failure(reason: reason(of: error))
        }
    }

    private static func send(
        _ body: [UInt8], to address: HTTPAddress, below path: String, on channel: any Channel
    ) async throws {
        let headers = HTTPHeaders([
            ("Host", address.authority), ("Content-Type", "application/json"),
            ("Content-Length", "\(body.count)"), ("User-Agent", "napkin"), ("Connection", "close"),
        ])
        let head = HTTPRequestHead(
            version: .http1_1, method: .POST, uri: address.path + path, headers: headers)
        channel.write(HTTPClientRequestPart.head(head), promise: nil)
        let buffer = channel.allocator.buffer(bytes: body)
        channel.write(HTTPClientRequestPart.body(.byteBuffer(buffer)), promise: nil)
        try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            error.connectionErrors.first.map { reason(of: $0.error) } ?? "its name is not known"
        case let error as IOError: String(cString: strerror(error.errnoCode))
        default: "\(error)"
        }
    }
}

/// Passes a response on.
private final class AnswerReader: ChannelInboundHandler {
    typealias InboundIn = NIOHTTPClientResponseFull

    private let answer: EventLoopPromise<HTTPPost.Answer>

    init(_ answer: EventLoopPromise<HTTPPost.Answer>) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let response = Self.unwrapInboundIn(data)
        answer.succeed(
            HTTPPost.Answer(
                status: Int(response.head.status.code),
                body: response.body.map { Array($0.readableBytesView) } ?? [],
                pause: response.head.headers.first(name: "retry-after").flatMap { Int($0) }))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        answer.fail(HTTPPost.Failure(reason: "its answer cannot be read: \(error)"))
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        answer.fail(HTTPPost.Failure(reason: "it closed the connection"))
        context.fireChannelInactive()
    }
}
