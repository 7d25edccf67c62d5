// Acceptor: a listening Unix socket that turns connections into channels.
//
// Ownership  the handle retains the acceptor from its creation to its close callback. The acceptor
//            never removes the socket's file: the code that chose the path does.
// Invariant  onAccept is called only between start(_:) and close(). After a connection that could
//            not be accepted, the handle is closed for a while, and others wait in the backlog.

internal import CLibuv

@MainActor
package final class Acceptor: HandleOwner {
    /// The pause before the next attempt after a connection that could not be accepted. Chosen: a
    /// person hardly notices it, and ten attempts a second cost nothing.
    private static let restTime = Duration.milliseconds(100)

    private var handle: UVHandle<uv_pipe_t>
    /// A duplicate of the socket, which keeps listening while the handle is closed. It takes its
    /// descriptor at once: there may be none left when it is needed.
    private let reserve: Int32
    private var rest: LoopTimer?
    private let backlog: Int32
    private var isOpen = true
    private var onAccept: (@MainActor (Channel) -> Void)?
    private var onFailure: (@MainActor (TransportError) -> Void)?

    /// Listens at `path`, where no file may exist: see ``SocketPath/removeIfStale()``.
    ///
    /// The file gets mode 0600, but only its directory protects it: see ``SocketDirectory``.
    /// - Parameters:
    ///   - path: at most ``SocketPath/bytesMax`` bytes.
    ///   - backlog: the number of connections that may wait to be accepted. Source: listen(2).
    ///
    /// Errors: `ENAMETOOLONG`, `EADDRINUSE`, `ENOENT` (no directory), `EACCES`.
    package convenience init(bindingTo path: String, backlog: Int32 = 128) throws(TransportError) {
        let descriptor = try Self.listeningDescriptor(at: path, backlog: backlog)
        do {
            try self.init(adopting: descriptor, backlog: backlog)
        } catch {
            LocalSocket.close(descriptor)
            throw error
        }
    }

    /// Takes over a listening descriptor that napkind or systemd has passed on.
    ///
    /// Errors: `EBADF`, `EINVAL` (not a listening Unix stream socket), `EMFILE`; the caller then
    /// keeps it.
    package init(adopting descriptor: Int32, backlog: Int32 = 128) throws(TransportError) {
        try LocalSocket.checkAdoptable(descriptor, listening: true)
        self.backlog = backlog
        reserve = LocalSocket.duplicate(descriptor)
        guard reserve >= 0 else {
            throw LocalSocket.systemError("listen", on: "descriptor \(descriptor)")
        }
        do {
            handle = try Self.handle(owning: descriptor)
        } catch {
            LocalSocket.close(reserve)
            throw error
        }
        handle.attach(to: self)
    }

    /// Opens a handle on a descriptor; after an error, the descriptor is still the caller's.
    private static func handle(
        owning descriptor: Int32
    ) throws(TransportError) -> UVHandle<uv_pipe_t> {
        let handle = try UVHandle<uv_pipe_t>("open", on: "pipe") { uv_pipe_init($0, $1, 0) }
        let result = uv_pipe_open(handle.raw, descriptor)
        guard result >= 0 else {
            handle.close()
            throw uvError(result, "listen", on: "descriptor \(descriptor)")
        }
        return handle
    }

    /// Returns a close-on-exec socket that listens at `path`, for another process to accept on.
    ///
    /// napkind holds its workers' sockets this way: connections made while a worker restarts wait
    /// in the backlog. Errors: those of ``init(bindingTo:backlog:)``.
    package static func listeningDescriptor(
        at path: String, backlog: Int32 = 128
    ) throws(TransportError) -> Int32 {
        try LocalSocket.listen(at: SocketPath(path), backlog: backlog)
    }

    /// Begins to accept connections. Call once.
    ///
    /// - Parameters:
    ///   - onFailure: called when a connection could not be accepted (`EMFILE`: no descriptor is
    ///     left to accept it or to turn it away; it waits).
    ///   - onAccept: takes the channel, which does not read yet. A channel that is dropped stays
    ///     open and unread.
    ///
    /// Listening itself cannot fail here on a socket that already listens.
    package func start(
        onFailure: (@MainActor (TransportError) -> Void)? = nil,
        _ onAccept: @escaping @MainActor (Channel) -> Void
    ) {
        precondition(self.onAccept == nil, "Acceptor.start(_:) is called once")
        guard isOpen else { return }
        self.onAccept = onAccept
        self.onFailure = onFailure
        listen()
    }

    private func listen() {
        let result = uv_listen(handle.stream, backlog) { stream, status in
            onLoop(stream?.pointee.data, as: Acceptor.self) { $0.connectionArrived(status) }
        }
        if result < 0 { onFailure?(uvError(result, "listen", on: "acceptor")) }
        Loop.shared.handlesChanged()
    }

    /// Stops listening and closes the descriptors; the file stays. A second call changes nothing.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        if rest == nil { handle.close() } else { handleDidClose() }
        rest?.cancel()
        LocalSocket.close(reserve)
    }

    private func connectionArrived(_ status: Int32) {
        guard isOpen else { return }
        do {
            try uvCheck(status, "accept", on: "acceptor")
            onAccept?(try Channel.accept(from: handle))
        } catch {
            pause()
            onFailure?(error)
        }
    }

    /// Closes the handle for a while. libuv would otherwise try to accept the same connection for
    /// ever, and the loop would do nothing else: its own reserve (`uv__emfile_trick`) is used up.
    private func pause() {
        guard rest == nil else { return }
        handle.close()
        rest = LoopTimer(after: Self.restTime, repeating: Self.restTime) { self.resume() }
    }

    private func resume() {
        let descriptor = LocalSocket.duplicate(reserve)
        guard descriptor >= 0 else { return }
        do {
            handle = try Self.handle(owning: descriptor)
        } catch {
            return LocalSocket.close(descriptor)
        }
        handle.attach(to: self)
        rest?.cancel()
        rest = nil
        listen()
    }

    func handleDidClose() {
        guard !isOpen else { return }
        onAccept = nil
        onFailure = nil
    }
}
