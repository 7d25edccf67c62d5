// DescriptorWatcher: reports when a descriptor that is not ours can be read, such as stdin.
//
// Ownership  the handle retains the watcher until it is cancelled. The descriptor belongs to the
//            caller, who closes it only after cancel().
// Invariant  the descriptor keeps its blocking mode: it may be shared with our shell.
// Spec       epoll_ctl(2): EPERM for a regular file, which is always ready.

internal import CLibuv
internal import Glibc

/// Calls back whenever a descriptor can be read. It need not be kept: it lives until cancelled.
@MainActor
package final class DescriptorWatcher: HandleOwner {
    private enum Source {
        case poll(UVHandle<uv_poll_t>)
        /// A regular file: an idle handle, which calls back in every turn.
        case always(UVHandle<uv_idle_t>)
    }

    private let source: Source
    private var isOpen = true
    private var onReadable: (@MainActor () -> Void)?

    /// Begins to watch. Any descriptor will do: a terminal, pipe, socket, file or /dev/null.
    ///
    /// - Parameters:
    ///   - descriptor: watched by at most one watcher at a time.
    ///   - onReadable: called when one read(2) will not block. At the end of the file read(2)
    ///     returns 0, and this is called again and again: cancel then.
    ///
    /// Errors: `EBADF`, `EEXIST` (watched already).
    package init(
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
            // uv_poll_init makes the open file non-blocking for all who share it; this undoes it.
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
            // Disconnection and errors are reported too: read(2) then returns the cause.
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
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        onReadable = nil
        switch source {
        case .poll(let handle): handle.close()
        case .always(let handle): handle.close()
        }
    }
}
