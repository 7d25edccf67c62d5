// SocketTransport: sends each request over a separate connection.
//
// Layer      networking.
// Isolation  any thread: `@concurrent`, so that it never runs on the worker's loop.
// Ownership  a connection lives as long as its request, and is closed with it.
//
// Why not URLSession: FoundationNetworking costs a worker 28 ms of its start and 13 MB (the app's
// README.md says how that was measured), for a request to one server and its response. The app has
// no use for what it would add: names, TLS, redirections, cookies, caches.

import Dispatch
import Glibc

/// The real transport.
package struct SocketTransport: Transport {
    /// Bytes of one read. Chosen: a page.
    private static let chunkBytes = 4096

    private let address: ServerAddress

    package init(to address: ServerAddress) {
        self.address = address
    }

    package var server: String { address.description }

    @concurrent
    package func send(_ request: HTTPRequest) async throws(LoadError) -> HTTPResponse {
        let connection = try await connect()
        try await write(request.bytes(for: server), to: connection)
        var parser = HTTPResponseParser()
        while true {
            let bytes = try await read(from: connection)
            // The server has gone, or was never more than a listening socket.
            if bytes.isEmpty, parser.isEmpty { throw .offline(server) }
            do throws(HTTPResponseParser.Malformed) {
                if bytes.isEmpty { return try parser.ended() }
                if let response = try parser.received(bytes) { return response }
            } catch {
                throw .badData("\(error)")
            }
        }
    }

    // MARK: - The connection

    /// A descriptor, closed when nothing refers to it any longer.
    private final class Connection: Sendable {
        let descriptor: Int32

        init?() {
            let kind = Int32(SOCK_STREAM.rawValue)
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            descriptor = socket(AF_INET, kind | flags, 0)
            if descriptor < 0 { return nil }
        }

        deinit { close(descriptor) }
    }

    private func connect() async throws(LoadError) -> Connection {
        guard let connection = Connection() else { throw .offline("\(server): \(Self.reason())") }
        var address = address.socketAddress
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(
                    connection.descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if status == 0 { return connection }
        guard errno == EINPROGRESS else { throw .offline(server) }
        try await Self.wait(for: connection, isReading: false)
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(connection.descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0,
            code == 0
        else { throw .offline(server) }
        return connection
    }

    private func write(_ bytes: [UInt8], to connection: Connection) async throws(LoadError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Glibc.send(
                    connection.descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if sent >= 0 {
                rest = rest.dropFirst(sent)
            } else if errno == EAGAIN {
                try await Self.wait(for: connection, isReading: false)
            } else if errno != EINTR {
                throw .offline(server)
            }
        }
    }

    /// Waits for bytes and returns them; empty at the end.
    private func read(from connection: Connection) async throws(LoadError) -> [UInt8] {
        var chunk = [UInt8](repeating: 0, count: Self.chunkBytes)
        while true {
            let count = recv(connection.descriptor, &chunk, chunk.count, 0)
            if count >= 0 { return Array(chunk[..<count]) }
            if errno == EAGAIN {
                try await Self.wait(for: connection, isReading: true)
            } else if errno != EINTR {
                throw .offline(server)
            }
        }
    }

    /// Returns when the connection can be read from, or written to.
    private static func wait(
        for connection: Connection, isReading: Bool
    ) async throws(LoadError) {
        let descriptor = connection.descriptor
        // SAFETY: a dispatch source may be cancelled from any thread, even before it is activated;
        // the library's protocol does not say so.
        nonisolated(unsafe) let source: any DispatchSourceProtocol =
            isReading
            ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
            : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: .global())
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.setEventHandler { source.cancel() }
                // After this nothing uses the descriptor any longer: it may be closed, and its
                // number used again.
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
        if Task.isCancelled { throw .cancelled }
    }

    private static func reason() -> String { String(cString: strerror(errno)) }
}
