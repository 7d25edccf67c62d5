// DaemonAddress: where napkind is, and how to start it if it does not run.
//
// Layer      front.
// Isolation  value.

/// How a front finds the daemon.
public struct DaemonAddress: Sendable {
    /// The path of napkind's socket.
    public var socket: String
    /// The program that starts the daemon; `nil` if the daemon must already be running.
    public var launcher: DaemonLauncher?

    public init(socket: String, launcher: DaemonLauncher? = nil) {
        self.socket = socket
        self.launcher = launcher
    }
}
