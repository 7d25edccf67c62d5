// DescriptorWatcher: readiness of a descriptor that is not ours to own: stdin above all.
//
// Layer      transport, watchers.
// Isolation  @MainActor (loop thread).
// Ownership  the handle retains the watcher until it is cancelled. The descriptor stays the
//            caller's, who closes it only after cancel().
// Invariant  the descriptor's blocking mode is what it was: it may be shared with our shell.
// Spec       epoll_ctl(2): EPERM for a regular file, which is always ready.

internal import CLibuv
internal import Glibc

/// Calls back whenever a descriptor can be read. It need not be kept: it lives until cancelled.
@MainActor
public final class DescriptorWatcher: HandleOwner {
    private enum Source {
        case poll(UVHandle<uv_poll_t>)
        /// A regular file: an idle handle, which calls back in every turn.
        case always(UVHandle<uv_idle_t>)
    }

    private let source: Source
    private var isOpen = true
    private var onReadable: (@MainActor () -> Void)?

    /// Begins to watch. Any descriptor will do: terminal, pipe, socket, file, /dev/null.
    ///
    /// - Parameters:
    ///   - descriptor: watched by at most one watcher at a time.
    ///   - onReadable: one read(2) will not block now; at the end of the file it returns 0, time
    ///     and again: cancel then.
    ///
    /// Errors: `EBADF`, `EEXIST` (watched already).
    public init(
        _ descriptor: Int32, onReadable: @escaping @MainActor () -> Void
    ) throws(TransportError) {
        self.onReadable = onReadable
        let subject = "descriptor \(descriptor)"
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0 else { throw LocalSocket.systemError("watch", on: subject) }
        do {
            let poll = try UVHandle<uv_poll_t>("watch", on: subject) {
                uv_poll_init($0, $1, descriptor)
            }
            // uv_poll_init makes the open file non-blocking, for everyone who shares it: undone.
            _ = fcntl(descriptor, F_SETFL, flags)
            source = .poll(poll)
        } catch {
            guard error.code == "EPERM" else { throw error }
            source = .always(try UVHandle("watch", on: subject) { uv_idle_init($0, $1) })
        }
        start()
    }

    private func start() {
        switch source {
        case .poll(let handle):
            handle.attach(to: self)
            // UV_DISCONNECT and errors come along: read(2) then says what happened.
            uv_poll_start(handle.raw, Int32(UV_READABLE.rawValue)) { handle, _, _ in
                onLoop(handle?.pointee.data, as: DescriptorWatcher.self) { $0.onReadable?() }
            }
        case .always(let handle):
            handle.attach(to: self)
            uv_idle_start(handle.raw) { handle in
                onLoop(handle?.pointee.data, as: DescriptorWatcher.self) { $0.onReadable?() }
            }
        }
        Loop.shared.handlesChanged()
    }

    /// Stops watching. A second call changes nothing.
    public func cancel() {
        guard isOpen else { return }
        isOpen = false
        onReadable = nil
        switch source {
        case .poll(let handle): handle.close()
        case .always(let handle): handle.close()
        }
    }

    func handleDidClose() {}
}
