// WorkerOptions: what a worker is started with: its sockets' paths, its store, its number.

import Glibc
package import NapkinProtocol

package struct WorkerOptions: Sendable {
    /// The descriptors at which napkind passes the listening socket and the control connection.
    package static let listeningDescriptor: Int32 = 3
    package static let controlDescriptor: Int32 = 4
    /// The descriptor of the memory in which a worker notes what it runs.
    package static let flightDescriptor: Int32 = 5
    /// The exit status of a worker whose journal another machine has.
    package static let elsewhereStatus: Int32 = EX_TEMPFAIL
    /// The time between two attempts of a worker to find napkind again. Chosen: hardly a wait.
    package static let retryInterval = Duration.milliseconds(200)

    /// The worker's socket, to which fronts connect.
    package var socket: String
    package var daemonSocket: String
    package var stateDirectory: String
    /// Where the journals are.
    package var ledger: LedgerBackend
    /// The machine's name in the cluster; `nil` without napkind.
    package var machine: String?
    /// The worker's number among those of its app.
    package var number: Int

    package init(
        socket: String, daemonSocket: String, stateDirectory: String, ledger: LedgerBackend,
        machine: String? = nil, number: Int = 0
    ) {
        (self.socket, self.daemonSocket) = (socket, daemonSocket)
        (self.stateDirectory, self.ledger, self.number) = (stateDirectory, ledger, number)
        self.machine = machine
    }
}
