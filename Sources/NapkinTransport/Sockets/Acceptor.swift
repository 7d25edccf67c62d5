// Acceptor: a listening Unix socket that turns connections into channels.
//
// Layer      transport, sockets.
// Isolation  @MainActor (loop thread).
// Ownership  the handle retains the acceptor from its creation to its close callback. The socket's
//            file is never removed here: who chose the path removes it.
// Invariant  onAccept is called only between start(_:) and close().

internal import CLibuv

/// A listening Unix socket.
@MainActor
public final class Acceptor: HandleOwner {
    private let handle: UVHandle<uv_pipe_t>
    private let backlog: Int32
    private var isOpen = true
    private var onAccept: (@MainActor (Channel) -> Void)?
    private var onFailure: (@MainActor (TransportError) -> Void)?

    /// Listens at `path`, where no file may be: see ``SocketPath/removeIfStale()``.
    ///
    /// The file gets mode 0600; what protects it is its directory: see ``SocketDirectory``.
    /// - Parameters:
    ///   - path: at most ``SocketPath/bytesMax`` bytes.
    ///   - backlog: connections that wait to be accepted. Source: listen(2).
    ///
    /// Errors: `ENAMETOOLONG`, `EADDRINUSE`, `ENOENT` (no directory), `EACCES`.
    public convenience init(
        bindingTo path: String, backlog: Int32 = 128
    ) throws(TransportError) {
        let descriptor = try Self.listeningDescriptor(at: path, backlog: backlog)
        do {
            try self.init(adopting: descriptor, backlog: backlog)
        } catch {
            LocalSocket.close(descriptor)
            throw error
        }
    }

    /// Takes over a listening descriptor: inherited from napkind, or from systemd.
    ///
    /// Errors: `EBADF`, `EINVAL` (not a listening Unix stream socket); then it stays the caller's.
    public init(adopting descriptor: Int32, backlog: Int32 = 128) throws(TransportError) {
        try LocalSocket.checkAdoptable(descriptor, listening: true)
        handle = try UVHandle("open", on: "pipe") { uv_pipe_init($0, $1, 0) }
        self.backlog = backlog
        let result = uv_pipe_open(handle.raw, descriptor)
        guard result >= 0 else {
            handle.close()
            throw uvError(result, "listen", on: "descriptor \(descriptor)")
        }
        handle.attach(to: self)
    }

    /// A socket that listens at `path`, close-on-exec, for somebody else to accept on.
    ///
    /// napkind holds a worker's so: connections made while the worker restarts wait in the backlog.
    /// Errors: as those of ``init(bindingTo:backlog:)``.
    public static func listeningDescriptor(
        at path: String, backlog: Int32 = 128
    ) throws(TransportError) -> Int32 {
        try LocalSocket.listen(at: SocketPath(path), backlog: backlog)
    }

    /// Begins to accept. Call once.
    ///
    /// - Parameters:
    ///   - onFailure: a connection could not be accepted (`EMFILE`: it was closed); the next will.
    ///   - onAccept: takes the channel, which does not read yet; forgotten, it stays open unheard.
    ///
    /// Listening itself cannot fail here on a socket that is listening already.
    public func start(
        onFailure: (@MainActor (TransportError) -> Void)? = nil,
        _ onAccept: @escaping @MainActor (Channel) -> Void
    ) {
        precondition(self.onAccept == nil, "Acceptor.start(_:) is called once")
        guard isOpen else { return }
        self.onAccept = onAccept
        self.onFailure = onFailure
        let result = uv_listen(handle.stream, backlog) { stream, status in
            onLoop(stream?.pointee.data, as: Acceptor.self) { $0.connectionArrived(status) }
        }
        if result < 0 { onFailure?(uvError(result, "listen", on: "acceptor")) }
        Loop.shared.handlesChanged()
    }

    /// Stops listening and closes the descriptor; the file stays. A second call changes nothing.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        handle.close()
    }

    private func connectionArrived(_ status: Int32) {
        guard isOpen else { return }
        do {
            try uvCheck(status, "accept", on: "acceptor")
            onAccept?(try Channel.accept(from: handle))
        } catch {
            onFailure?(error)
        }
    }

    func handleDidClose() {
        onAccept = nil
        onFailure = nil
    }
}
