// WorkerSocket: the socket of an app's workers, on which napkind keeps listening while none runs.
//
// Ownership  owned by the worker's supervisor; owns the listening descriptor until `close()`.

import Glibc
import NapkinHost
import NapkinTransport

/// Listens for the workers of one app, one after another.
@MainActor
struct WorkerSocket {
    let path: String
    private(set) var descriptor: Int32 = -1
    private var file: FileIdentity?

    init(path: String) {
        self.path = path
    }

    /// Keeps the listening socket, unless its file was removed: fronts could no longer find it.
    mutating func listen() throws(StartError) {
        try StartError.ofSystem { () throws(TransportError) in
            let path = try SocketPath(path)
            if descriptor >= 0 {
                guard FileIdentity(at: path.text) != file else { return }
                // A process that has put another socket there may have linked it to ours.
                if try path.probe() == .alive { return }
                Glibc.close(descriptor)
                descriptor = -1
            }
            try SocketDirectory(path: path.directory, policy: .chosen).ensure()
            try path.removeIfStale()
            descriptor = try Acceptor.listeningDescriptor(at: path.text)
            file = FileIdentity(at: path.text)
        }
    }

    /// Returns whether the path leads to this socket; another napkind may spell it differently.
    func isThis(_ other: String) -> Bool {
        guard other != path, let file = FileIdentity(at: path) else { return other == path }
        return FileIdentity(at: other) == file
    }

    /// Stops listening, and removes the file unless it belongs to another daemon's socket.
    ///
    /// - Parameter isOurs: whether a file that does not match this descriptor belongs to one of our
    ///   workers.
    mutating func close(isOurs: Bool) {
        if isOurs || descriptor >= 0 && FileIdentity(at: path) == file { unlink(path) }
        if descriptor >= 0 { Glibc.close(descriptor) }
        descriptor = -1
    }
}
