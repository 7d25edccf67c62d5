// WebServer: accepts connections of browsers on this machine.
//
// Layer      web, server.
// Isolation  any thread: a value of what NIO runs on its own thread.
// Ownership  owns that thread and the listening socket until `stop()`.

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// Where a server listens.
package enum WebPlace: Sendable {
    /// A port of 127.0.0.1; 0 for any free one.
    case port(Int)
    /// A socket that listens already, and what the proxy in front of it is reached by. The server
    /// closes it.
    case socket(descriptor: Int32, WebOrigin)
}

/// A server for this machine's browsers, or for a proxy on it.
struct WebServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel

    /// Listens.
    ///
    /// - Parameters:
    ///   - makeDoor: makes what decides on requests, for the names of the server.
    ///   - call: has the main actor read what a page has said.
    static func start(
        at place: WebPlace, door makeDoor: @escaping @Sendable (WebOrigin) -> WebDoor,
        call: @escaping @Sendable (TabSocket) -> Void
    ) async throws -> (server: WebServer, door: WebDoor) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let count = ConnectionCount()
        let door = Mutex<WebDoor?>(nil)
        do {
            let bootstrap = ServerBootstrap(group: group)
                .serverChannelOption(.backlog, value: 64)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        guard let door = door.withLock({ $0 }), count.admits(channel) else {
                            return channel.close(promise: nil)
                        }
                        try configure(channel, door, call)
                    }
                }
            let channel: any Channel
            let origin: WebOrigin
            switch place {
            case .port(let port):
                channel = try await bootstrap.bind(host: "127.0.0.1", port: port).get()
                origin = .loopback(port: channel.localAddress?.port ?? port)
            case .socket(let descriptor, let proxy):
                channel = try await bootstrap.withBoundSocket(descriptor).get()
                origin = proxy
            }
            let made = makeDoor(origin)
            door.withLock { $0 = made }
            return (WebServer(group: group, channel: channel), made)
        } catch {
            // What was started goes with what could not be; why is what the caller is told.
            try? await group.shutdownGracefully()
            throw error
        }
    }

    func stop() async {
        // Whatever cannot be closed ends with the process.
        try? await channel.close()
        // The same.
        try? await group.shutdownGracefully()
    }

    private static func configure(
        _ channel: any Channel, _ door: WebDoor, _ call: @escaping @Sendable (TabSocket) -> Void
    ) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: WebLimits.messageBytesMax,
            shouldUpgrade: { channel, head in
                let isAdmitted = door.admitsSocket(WebRequest(head))
                return channel.eventLoop.makeSucceededFuture(isAdmitted ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let (browser, tab, page) = door.tab(of: WebRequest(head)) ?? ("", "", "")
                    let socket = TabSocket(
                        channel, browser: browser, tab: tab, page: page, call: call)
                    let whole = NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
                        maxAccumulatedFrameSize: WebLimits.messageBytesMax)
                    try channel.pipeline.syncOperations.addHandlers([
                        MaskCheck(), whole, TabHandler(socket),
                    ])
                }
            })
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = WebLimits.headerBytesMax
        limits.maxHeaderListSize = WebLimits.headerBytesMax
        limits.maxHeaderFieldCount = WebLimits.headersMax
        try channel.pipeline.syncOperations.configureHTTPServerPipeline(
            withServerUpgrade: (
                upgraders: [upgrader],
                completionHandler: { context in
                    context.pipeline.removeHandler(name: RequestHandler.name, promise: nil)
                }
            ), withEncoderConfiguration: .init(), withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(
            RequestHandler(door), name: RequestHandler.name)
    }
}

/// Connections that are open.
private final class ConnectionCount: Sendable {
    private let count = Mutex(0)

    /// Whether there is room for another one, which is counted until it is closed.
    func admits(_ channel: any Channel) -> Bool {
        let isAdmitted = count.withLock { count in
            guard count < WebLimits.connectionsMax else { return false }
            count += 1
            return true
        }
        if isAdmitted {
            channel.closeFuture.whenComplete { _ in self.count.withLock { $0 -= 1 } }
        }
        return isAdmitted
    }
}
