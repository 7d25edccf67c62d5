// TabSocket: a page's WebSocket, between the server's thread and the main actor.
//
// Isolation  any thread (Mutex): filled on the server's thread, emptied on the main actor.
// Invariant  messages arrive in order; at most `messagesMax` of them wait, and a page that
//            sends more is disconnected.
// Spec       RFC 6455 (WebSocket)

import NIOCore
import NIOWebSocket
import Synchronization

/// The two ends of a page's connection.
final class TabSocket: Sendable {
    private struct Box {
        var messages: [String] = []
        var bytes = 0
        var isClosed = false
        /// Whether a read on the main actor is already scheduled.
        var isCalled = false
    }

    /// The page's browser, and the name of the tab that it wants back; empty for a new one.
    let browser: String
    let tab: String
    /// The name of the page; empty for the first one.
    let page: String
    private let channel: any Channel
    private let box = Mutex(Box())
    private let call: @Sendable (TabSocket) -> Void

    /// - Parameter call: schedules a read of the waiting messages on the main actor.
    init(
        _ channel: any Channel, browser: String, tab: String, page: String,
        call: @escaping @Sendable (TabSocket) -> Void
    ) {
        self.channel = channel
        self.browser = browser
        self.tab = tab
        self.page = page
        self.call = call
    }

    // MARK: - The server's thread

    func opened() { put { _ in } }

    func received(_ text: String) {
        var isFull = false
        put { box in
            isFull =
                box.messages.count >= WebLimits.messagesMax
                || box.bytes + text.utf8.count > WebLimits.waitingBytesMax
            guard !isFull else {
                box.isClosed = true
                return
            }
            box.messages.append(text)
            box.bytes += text.utf8.count
        }
        // Outside the lock: it ends the connection at once, which calls `ended()`.
        if isFull { channel.end(.policyViolation) }
    }

    func ended() { put { $0.isClosed = true } }

    private func put(_ change: (inout Box) -> Void) {
        let calls = box.withLock { box in
            change(&box)
            defer { box.isCalled = true }
            return !box.isCalled
        }
        if calls { call(self) }
    }

    // MARK: - The main actor

    /// Returns the waiting messages, and whether the connection has ended.
    func take() -> (messages: [String], isClosed: Bool) {
        box.withLock { box in
            defer {
                box.messages = []
                box.bytes = 0
                box.isCalled = false
            }
            return (box.messages, box.isClosed)
        }
    }

    func close() { channel.end(.normalClosure) }

    func send(_ text: String, written: @escaping @MainActor @Sendable () -> Void) {
        let frame = WebSocketFrame(
            fin: true, opcode: .text, data: channel.allocator.buffer(string: text))
        channel.writeAndFlush(frame).whenSuccess {
            Task { @MainActor in written() }
        }
    }
}

/// The server's end of a WebSocket.
final class TabHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let socket: TabSocket

    init(_ socket: TabSocket) { self.socket = socket }

    func handlerAdded(context: ChannelHandlerContext) { socket.opened() }

    func channelInactive(context: ChannelHandlerContext) {
        socket.ended()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.opcode {
        case .text:
            let bytes = frame.unmaskedData.readableBytesView
            guard let text = String(validating: bytes, as: UTF8.self) else {
                return context.channel.end(.dataInconsistentWithMessage)
            }
            socket.received(text)
        case .ping:
            // A peer that does not read its answers gets no more of them.
            guard context.channel.isWritable else { return context.close(promise: nil) }
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.writeAndFlush(Self.wrapOutboundOut(pong), promise: nil)
        case .pong: break
        case .binary: context.channel.end(.unacceptableData)
        case .connectionClose: context.channel.end(Self.answer(to: frame.unmaskedData))
        default: context.channel.end(.protocolError)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Frames that are too long or out of order: this peer is no page of ours. NIO has already
        // reported errors of single frames.
        guard let error = error as? NIOWebSocketFrameAggregator.Error else {
            return context.close(promise: nil)
        }
        let isTooLong = error == .accumulatedFrameSizeIsTooLarge || error == .tooManyFragments
        context.channel.end(isTooLong ? .messageTooLarge : .protocolError)
    }

    /// Returns the code for answering a close frame: the peer's, or none, if it is well-formed.
    private static func answer(to data: ByteBuffer) -> WebSocketErrorCode? {
        guard data.readableBytes > 0 else { return nil }
        guard let code = data.getInteger(at: data.readerIndex, as: UInt16.self),
            [1000...1003, 1007...1014, 3000...4999].contains(where: { $0.contains(code) })
        else { return .protocolError }
        let reason = data.readableBytesView.dropFirst(2)
        return String(validating: reason, as: UTF8.self) == nil
            ? .dataInconsistentWithMessage : WebSocketErrorCode(codeNumber: Int(code))
    }
}

/// Refuses unmasked frames and frames with extension bits, which no browser sends here.
final class FrameCheck: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        guard frame.maskKey != nil, frame.reservedBits.isEmpty else {
            return context.channel.end(.protocolError)
        }
        context.fireChannelRead(data)
    }
}

extension Channel {
    /// Sends the reason in a close frame, and closes.
    fileprivate func end(_ code: WebSocketErrorCode?) {
        var data = allocator.buffer(capacity: 2)
        if let code { data.write(webSocketErrorCode: code) }
        let frame = WebSocketFrame(fin: true, opcode: .connectionClose, data: data)
        writeAndFlush(frame, promise: nil)
        close(promise: nil)
    }
}
