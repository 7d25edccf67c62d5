// HTTPRequestHandler: reads a connection's one request, and answers it.
//
// Isolation  confined: NIO calls it on its connection's event loop, the server's thread.
// Invariant  a connection has one request, within `requestSeconds`, and is closed after its answer
//            unless it has become a WebSocket.

import NIOCore
import NIOHTTP1
import NIOWebSocket

final class HTTPRequestHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart

    static let name = "requests"

    private let access: WebAccessControl
    private var head: HTTPRequestHead?
    private var hasAnswered = false
    private var deadline: Scheduled<Void>?

    init(_ access: WebAccessControl) { self.access = access }

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
        case .body: answer(.refused(.contentTooLarge, "A request has no body."), context)
        case .end: if let head { answer(access.answer(WebRequest(head)), context) }
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A refused WebSocket request is answered like any other request.
        if error is NIOWebSocketUpgradeError { return }
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        answer(
            error == .headerOverflow
                ? .refused(
                    .headersTooLarge,
                    "The request's head is too long, perhaps by cookies of other programs: open "
                        + "the printed address, at \(access.origin.hosts[0]), which gets none.")
                : .refused(.badRequest, "This is no request of HTTP/1.1: \(error)."), context)
    }

    private func answer(_ answer: WebAccessControl.Answer, _ context: ChannelHandlerContext) {
        guard !hasAnswered else { return }
        hasAnswered = true
        let isBodiless = head?.method == .HEAD
        let channel = context.channel
        if case .metrics(let isOpen) = answer, let metrics = access.metrics {
            // The request's deadline also applies to this answer.
            Task {
                let text = await metrics.text(isOpen)
                Response(metrics: text, isOpen: isOpen).send(on: channel, isBodiless: isBodiless)
            }
        } else {
            Response(answer).send(on: channel, isBodiless: isBodiless)
        }
    }
}

/// A response with all its headers.
private struct Response {
    private var status: HTTPResponseStatus
    private var headers = HTTPHeaders([
        ("Connection", "close"), ("Cache-Control", "no-store"),
        ("Content-Security-Policy", Response.policy), ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
    ])
    private var body: [UInt8] = []

    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// A page of this site that redirects to another one.
    private static let welcome = """
        <!doctype html><html lang="en"><meta charset="utf-8"><title>napkin</title>
        <meta http-equiv="refresh" content="0; url=PATH"><a href="PATH">To the page</a></html>
        """

    init(metrics text: String, isOpen: Bool) {
        (status, body) = (.ok, Array(text.utf8))
        headers.add(
            name: "Content-Type",
            value: isOpen
                ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                : "text/plain; version=0.0.4; charset=utf-8")
    }

    init(_ answer: WebAccessControl.Answer) {
        switch answer {
        case .welcomed(let cookie, let path, let isLed):
            status = isLed ? .ok : .seeOther
            headers.add(name: "Set-Cookie", value: cookie)
            // A redirect that began on another site would not carry the cookie.
            if isLed {
                body = Array(Self.welcome.replacing("PATH", with: path).utf8)
                headers.add(name: "Content-Type", value: WebAccessControl.File.page.type)
            } else {
                headers.add(name: "Location", value: path)
            }
        case .file(let file):
            (status, body) = (.ok, file.bytes)
            headers.add(name: "Content-Type", value: file.type)
        // Only an access control with metrics returns them.
        case .metrics: status = .notFound
        case .loggedOut(let cookie):
            status = .noContent
            headers.add(name: "Set-Cookie", value: cookie)
        case .refused(let refusal, let sentence):
            status = HTTPResponseStatus(statusCode: refusal.rawValue)
            body = Array("\(sentence)\n".utf8)
            headers.add(name: "Content-Type", value: "text/plain; charset=utf-8")
            if refusal == .unauthorized { headers.add(name: "WWW-Authenticate", value: "Bearer") }
            if refusal == .upgradeRequired {
                headers.replaceOrAdd(name: "Connection", value: "close, Upgrade")
                headers.add(name: "Upgrade", value: "websocket")
                headers.add(name: "Sec-WebSocket-Version", value: "13")
            }
        }
    }

    /// Sends it, and closes the connection.
    func send(on channel: any Channel, isBodiless: Bool) {
        var headers = headers
        if status.mayHaveResponseBody {
            headers.add(name: "Content-Length", value: "\(body.count)")
        }
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        channel.write(HTTPServerResponsePart.head(head), promise: nil)
        if !isBodiless, !body.isEmpty {
            let buffer = channel.allocator.buffer(bytes: body)
            channel.write(HTTPServerResponsePart.body(.byteBuffer(buffer)), promise: nil)
        }
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { _ in
            channel.close(promise: nil)
        }
    }
}

extension WebAccessControl.File {
    fileprivate var type: String {
        switch self {
        case .page: "text/html; charset=utf-8"
        case .script, .element: "text/javascript; charset=utf-8"
        case .style: "text/css; charset=utf-8"
        }
    }

    fileprivate var bytes: [UInt8] {
        switch self {
        case .page: PackageResources.page_html
        case .script: PackageResources.client_js
        case .style: PackageResources.style_css
        case .element(let script): script
        }
    }
}

extension WebRequest {
    init(_ head: HTTPRequestHead) {
        self.init(
            method: head.method.rawValue, target: head.uri, isVersion11: head.version == .http1_1,
            headers: head.headers.map { ($0.name, $0.value) })
    }
}
