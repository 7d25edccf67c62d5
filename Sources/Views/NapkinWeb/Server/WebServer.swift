// WebServer: accepts connections of browsers on this machine.
//
// Isolation  any thread: a value that holds what NIO runs on its own thread.
// Ownership  owns that thread, which ends with the process, and the listening sockets until
//            `stop()`.

import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

import struct NapkinTransport.TransportError

/// A server's listening address.
package enum WebAddress: Sendable {
    /// A port of 127.0.0.1 and, where there is one, of ::1; 0 for any free one.
    case port(Int)
    /// A socket that already listens, and the address of the proxy in front of it. The server
    /// closes it.
    case socket(descriptor: Int32, WebOrigin)
}

/// A server for this machine's browsers, or for a proxy on it.
struct WebServer: Sendable {
    private let channels: [any Channel]

    /// Listens.
    ///
    /// - Parameters:
    ///   - makeAccess: creates the access control for the server's names, which decides on
    ///     requests.
    ///   - call: schedules a read of a page's messages on the main actor.
    static func start(
        at address: WebAddress,
        access makeAccess: @escaping @Sendable (WebOrigin) -> WebAccessControl,
        call: @escaping @Sendable (TabSocket) -> Void
    ) async throws -> (server: WebServer, access: WebAccessControl) {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let count = ConnectionCount()
        let access = Mutex<WebAccessControl?>(nil)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let access = access.withLock({ $0 }), count.admits(channel) else {
                        return channel.close(promise: nil)
                    }
                    try configure(channel, access, call)
                }
            }
        let channels: [any Channel]
        let origin: WebOrigin
        switch address {
        case .port(let port):
            do {
                channels = try await listen(bootstrap, port)
            } catch let error as IOError {
                throw TransportError(
                    code: "\(error.errnoCode)", operation: "listen on", subject: "port \(port)",
                    message: String(cString: strerror(error.errnoCode)))
            }
            origin = .loopback(port: channels[0].localAddress?.port ?? port)
        case .socket(let descriptor, let proxy):
            channels = [try await bootstrap.withBoundSocket(descriptor).get()]
            origin = proxy
        }
        let made = makeAccess(origin)
        access.withLock { $0 = made }
        return (WebServer(channels: channels), made)
    }

    /// Listens on both loopback addresses: browsers resolve a name below `localhost` to either, and
    /// no other program must be able to answer for the page.
    private static func listen(
        _ bootstrap: ServerBootstrap, _ wanted: Int
    ) async throws -> [any Channel] {
        while true {
            let channel = try await bootstrap.bind(host: "127.0.0.1", port: wanted).get()
            let port = channel.localAddress?.port ?? wanted
            do {
                return [channel, try await bootstrap.bind(host: "::1", port: port).get()]
            } catch let error as IOError
                where [EADDRNOTAVAIL, EAFNOSUPPORT].contains(error.errnoCode)
            {
                // The machine does not have this address.
                return [channel]
            } catch {
                // One address is useless without the other.
                try? await channel.close()
                // With port 0, another free port is tried.
                guard wanted == 0, (error as? IOError)?.errnoCode == EADDRINUSE else { throw error }
            }
        }
    }

    /// Closes the listening sockets, after the last messages to pages. The thread continues: it
    /// must write and close until the process ends.
    func stop() async {
        // Connections that cannot be closed end with the process.
        for channel in channels { try? await channel.close() }
    }

    private static func configure(
        _ channel: any Channel, _ access: WebAccessControl,
        _ call: @escaping @Sendable (TabSocket) -> Void
    ) throws {
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: WebLimits.messageBytesMax,
            shouldUpgrade: { channel, head in
                let isAdmitted = access.admitsSocket(WebRequest(head))
                return channel.eventLoop.makeSucceededFuture(isAdmitted ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    let (browser, tab, page) = access.tab(of: WebRequest(head)) ?? ("", "", "")
                    let socket = TabSocket(
                        channel, browser: browser, tab: tab, page: page, call: call)
                    let whole = NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 64,
                        maxAccumulatedFrameSize: WebLimits.messageBytesMax)
                    try channel.pipeline.syncOperations.addHandlers([
                        FrameCheck(), whole, TabHandler(socket),
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
                    context.pipeline.removeHandler(name: HTTPRequestHandler.name, promise: nil)
                }
            ), withErrorHandling: false, withEncoderConfiguration: .init(),
            withDecoderLimitConfiguration: limits)
        try channel.pipeline.syncOperations.addHandler(
            HTTPRequestHandler(access), name: HTTPRequestHandler.name)
    }
}

private final class ConnectionCount: Sendable {
    private let count = Mutex(0)

    /// Whether there is room for another connection, which counts until it is closed.
    func admits(_ channel: any Channel) -> Bool {
        let isAdmitted = count.withLock { count in
            guard count < WebLimits.connectionsMax else { return false }
            count += 1
            return true
        }
        if isAdmitted { channel.closeFuture.whenComplete { _ in self.count.withLock { $0 -= 1 } } }
        return isAdmitted
    }
}
