// SignalWatcher: reports a signal to the process as a callback on the loop.
//
// Ownership  the handle retains the watcher until it is cancelled.
// Invariant  a signal's default action does not happen while the signal has a watcher.

internal import CLibuv

/// Watches one signal. It need not be kept: it lives until it is cancelled.
@MainActor
package final class SignalWatcher: HandleOwner {
    private let handle: UVHandle<uv_signal_t>
    private var isOpen = true
    private var onSignal: (@MainActor () -> Void)?

    /// Begins to watch. Several signals in quick succession may cause a single call.
    ///
    /// Errors: `EINVAL` (no such signal, or one that cannot be caught).
    package init(
        _ signal: Int32, _ onSignal: @escaping @MainActor () -> Void
    ) throws(TransportError) {
        self.onSignal = onSignal
        handle = try UVHandle("watch", on: "signal \(signal)") { uv_signal_init($0, $1) }
        let result = uv_signal_start(
            handle.raw,
            { watcher, _ in
                onLoop(watcher?.pointee.data, as: SignalWatcher.self) { $0.onSignal?() }
            }, signal)
        guard result >= 0 else {
            handle.close()
            throw uvError(result, "watch", on: "signal \(signal)")
        }
        handle.attach(to: self)
        Loop.shared.handlesChanged()
    }

    /// Stops watching; after the last watcher of a signal its default action is restored.
    package func cancel() {
        guard isOpen else { return }
        isOpen = false
        onSignal = nil
        handle.close()
    }
}
