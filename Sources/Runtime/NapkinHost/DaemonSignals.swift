// DaemonSignals: the handling of signals in napkind and its workers.
//
// Isolation  none of its own; watching is @MainActor.
// Source     signal(7)

import Glibc
package import Logging
package import NapkinTransport

/// No signal ends the process before its handlers have finished, except signals that cannot be
/// caught and those of a crash.
package enum DaemonSignals {
    /// Signals that shut the process down in good order.
    static let draining = [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGXCPU]

    /// Signals that mean nothing here, and whose default action would end the process at once.
    static var idle: [Int32] {
        [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ]
            + (__libc_current_sigrtmin()...__libc_current_sigrtmax())
    }

    /// Installs a handler that does nothing. SIG_IGN would be inherited by programs that an app
    /// starts.
    static func disarmIdle() {
        for number in idle { signal(number) { _ in } }
    }

    /// Watches the signals; returns `nil`, and logs why, if that is not possible.
    @MainActor
    package static func onDraining(
        _ logger: Logger, _ drain: @escaping @MainActor () -> Void
    ) -> [SignalWatcher]? {
        var watchers: [SignalWatcher] = []
        do throws(TransportError) {
            for signal in draining { watchers.append(try SignalWatcher(signal, drain)) }
            return watchers
        } catch {
            logger.error("no signal handler", metadata: ["error": "\(error)"])
            return nil
        }
    }
}
