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

/// A server on a port of 127.0.0.1.
struct WebServer: Sendable {
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    let port: Int

    /// Listens.
    ///
    /// - Parameters:
    ///   - port: 0 for any free one.
    ///   - makeDoor: makes what decides on requests, for the port.
    ///   - call: has the main actor read what a page has said.
    static func start(
        port: Int, door makeDoor: @escaping @Sendable (Int) -> WebDoor,
        call: @escaping @Sendable (TabSocket) -> Void
    ) async throws -> WebServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let count = ConnectionCount()
        let door = Mutex<WebDoor?>(nil)
        do {
            let channel = try await ServerBootstrap(group: group)
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
                .bind(host: "127.0.0.1", port: port).get()
            let actual = channel.localAddress?.port ?? port
            door.withLock { $0 = makeDoor(actual) }
            return WebServer(group: group, channel: channel, port: actual)
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
                channel.eventLoop.makeSucceededFuture(door.admitsSocket(head) ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let (tab, page) = door.tab(of: head) ?? ("", "")
                    let socket = TabSocket(channel, tab: tab, page: page, call: call)
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
