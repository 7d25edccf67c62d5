// RequestHandler: reads one request of a connection, and answers it.
//
// Layer      web, server.
// Isolation  confined: NIO calls it on its connection's event loop, the server's thread.
// Invariant  a connection has one request, within `requestSeconds`, and is closed after its answer
//            unless it has become a WebSocket.

import NIOCore
import NIOHTTP1
import NIOWebSocket

final class RequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    static let name = "requests"

    private let door: WebDoor
    private var head: HTTPRequestHead?
    private var hasAnswered = false
    private var deadline: Scheduled<Void>?

    init(_ door: WebDoor) { self.door = door }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: .seconds(WebLimits.requestSeconds)) {
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head(let head): self.head = self.head ?? head
        case .body: answer(.refused(.payloadTooLarge, "A request has no body."), context)
        case .end: if let head { answer(door.answer(head), context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Who may not have a WebSocket is answered as any other request; otherwise this peer does
        // not speak HTTP as it must.
        if !(error is NIOWebSocketUpgradeError) { context.close(promise: nil) }
    }

    private func answer(_ answer: WebDoor.Answer, _ context: ChannelHandlerContext) {
        guard !hasAnswered else { return }
        hasAnswered = true
        var headers = HTTPHeaders([
            ("Connection", "close"), ("Cache-Control", "no-store"),
            ("Content-Security-Policy", WebDoor.policy), ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
        ])
        let status: HTTPResponseStatus
        var body: [UInt8] = []
        switch answer {
        case .welcomed(let cookie, let path):
            status = .seeOther
            headers.add(name: "Location", value: path)
            headers.add(name: "Set-Cookie", value: cookie)
        case .file(let type, let bytes):
            (status, body) = (.ok, bytes)
            headers.add(name: "Content-Type", value: type)
        case .refused(let refusal, let sentence):
            (status, body) = (refusal, Array("\(sentence)\n".utf8))
            headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
        }
        headers.add(name: "Content-Length", value: "\(body.count)")
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(Self.wrapOutboundOut(.head(response)), promise: nil)
        if head?.method != .HEAD, !body.isEmpty {
            let buffer = context.channel.allocator.buffer(bytes: body)
            context.write(Self.wrapOutboundOut(.body(.byteBuffer(buffer))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(Self.wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}
