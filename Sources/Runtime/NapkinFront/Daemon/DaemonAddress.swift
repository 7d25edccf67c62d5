// DaemonAddress: where napkind is, and how to start it if it does not run.

/// How a front finds the daemon.
public struct DaemonAddress: Sendable {
    package var socket: String
    /// The program that starts the daemon; `nil` if the daemon must already be running.
    package var launcher: DaemonLauncher?
    /// The host that ssh connects to, if not this one; `socket` is then its URL, for messages.
    package private(set) var host: RemoteHost?

    package init(socket: String, launcher: DaemonLauncher? = nil) {
        self.socket = socket
        self.launcher = launcher
    }

    /// A daemon on another host. The relay that runs there finds its socket.
    package init(host: RemoteHost) {
        self.init(socket: host.text)
        self.host = host
    }
}
