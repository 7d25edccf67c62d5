// DaemonAddress: where napkind is, and how to start it if it does not run.

/// How a front finds the daemon.
public struct DaemonAddress: Sendable {
    /// The path of napkind's socket.
    package var socket: String
    /// The program that starts the daemon; `nil` if the daemon must already be running.
    package var launcher: DaemonLauncher?
    /// The host to which ssh leads, if it is not this one; `socket` is then its URL, for messages.
    package private(set) var host: RemoteHost?

    package init(socket: String, launcher: DaemonLauncher? = nil) {
        self.socket = socket
        self.launcher = launcher
    }

    /// A daemon on another host. What runs there decides where its socket is.
    package init(host: RemoteHost) {
        self.init(socket: host.text)
        self.host = host
    }
}
