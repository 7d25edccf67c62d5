// DaemonSignals: what signals do to napkind and to its workers.
//
// Layer      daemon.
// Isolation  none of its own; watching is @MainActor.
// Source     signal(7)

import Glibc
import NapkinTransport

/// None of them ends the process before its handlers have finished, but those that nobody can
/// catch and those of a crash.
enum DaemonSignals {
    /// They end the process in good order.
    static let draining = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU]

    /// Signals that mean nothing here, and would by default end the process at once.
    static var idle: [Int32] {
        [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ]
            + (__libc_current_sigrtmin()...__libc_current_sigrtmax())
    }

    /// A handler that does nothing, instead of SIG_IGN: programs that an app starts do not inherit
    /// it.
    static func disarmIdle() {
        for number in idle { signal(number) { _ in } }
    }

    @MainActor
    static func onDraining(
        _ drain: @escaping @MainActor () -> Void
    ) throws(TransportError) -> [SignalWatcher] {
        var watchers: [SignalWatcher] = []
        for signal in draining { watchers.append(try SignalWatcher(signal, drain)) }
        return watchers
    }
}
