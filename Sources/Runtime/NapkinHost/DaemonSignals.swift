// DaemonSignals: what signals do to napkind and to its workers.
//
// Isolation  none of its own; watching is @MainActor.
// Source     signal(7)

import Glibc
package import NapkinTransport

/// No signal ends the process before its handlers have finished, except signals that cannot be
/// caught and those of a crash.
package enum DaemonSignals {
    /// Signals that end the process in good order.
    static let draining = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU]

    /// Signals without a meaning here, which would by default end the process at once.
    static var idle: [Int32] {
        [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ]
            + (__libc_current_sigrtmin()...__libc_current_sigrtmax())
    }

    /// Installs a handler that does nothing, instead of SIG_IGN, which programs that an app starts
    /// would inherit.
    static func disarmIdle() {
        for number in idle { signal(number) { _ in } }
    }

    @MainActor
    package static func onDraining(
        _ drain: @escaping @MainActor () -> Void
    ) throws(TransportError) -> [SignalWatcher] {
        var watchers: [SignalWatcher] = []
        for signal in draining { watchers.append(try SignalWatcher(signal, drain)) }
        return watchers
    }
}
