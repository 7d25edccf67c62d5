// DaemonAddress: where napkind is, and how to start it when it is not there.
//
// Layer      front.
// Isolation  value.

/// How a front finds the daemon.
public struct DaemonAddress: Sendable {
    /// The path of napkind's socket.
    public var socket: String
    /// The program that starts the daemon; `nil` when it must be running already.
    public var launcher: DaemonLauncher?

    public init(socket: String, launcher: DaemonLauncher? = nil) {
        self.socket = socket
        self.launcher = launcher
    }
}
