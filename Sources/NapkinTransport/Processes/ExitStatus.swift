// ExitStatus: how a process ended.
//
// Layer      transport, watchers.
// Isolation  value.

// Nested, because Swift Testing has an ExitStatus, too.

extension ChildProcess {
    /// How a process ended. Source: wait(2).
    public enum ExitStatus: Sendable, Equatable {
        /// It called exit, or returned from main, with this code in [0, 255].
        case exited(Int32)
        /// It was ended by this signal.
        case signalled(Int32)
    }
}
