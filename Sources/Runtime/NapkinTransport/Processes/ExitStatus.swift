// ExitStatus: the way in which a process ended.

// Nested, because Swift Testing also has an ExitStatus.

extension ChildProcess {
    /// The way in which a process ended. Source: wait(2).
    package enum ExitStatus: Sendable, Equatable {
        /// The process called exit, or returned from main, with this code in [0, 255].
        case exited(Int32)
        /// This signal ended the process.
        case signalled(Int32)
    }
}
