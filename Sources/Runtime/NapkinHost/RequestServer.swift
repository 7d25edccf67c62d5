// RequestServer: the socket for requests of fronts and tools, with its locks and files.
//
// Ownership  owns the acceptor, the lock, and peers' connections until a handler takes them over.
// Invariant  at most one process serves a state directory, and a socket.

import Glibc
package import Logging
import NapkinCore
package import NapkinProtocol
package import NapkinRuntime
package import NapkinTransport

@MainActor
package protocol RequestHandler: AnyObject {
    /// Finds a front's session; `pid` is the front's process.
    func open(_ open: Open, pid: Int32) async throws(Refusal) -> Redirect
    /// Returns the encoded answer to a tool's query, or the first piece of it.
    func answer(_ query: Query) async throws(Refusal) -> AnswerPiece
    /// Takes over the link of a worker that has registered on a connection opened by the worker.
    /// The new owner replaces the link's delegate.
    func registered(_ link: Link, _ register: Register)
}

/// Listens for peers, for `napkind` and for an app's program without it.
@MainActor
package final class RequestServer {
    /// The name in errors and in messages to peers.
    nonisolated package static let name = "napkind"
    package static let greeting = "\(name) \(NapkinVersion.text)"
    /// The time that workers have to end in good order. Chosen: handlers have 2 s of it.
    package static let drainDeadline = Duration.seconds(5)

    package let socket: SocketPath
    package let options: HostOptions
    package let state: StateDirectory
    package let logger = Logger(label: RequestServer.name)
    private let files: ProcessFiles
    private let ownsSocketFile: Bool
    private var watch = PeerWatch()
    private(set) weak var handler: (any RequestHandler)?
    private var connections: [ObjectIdentifier: PeerConnection] = [:]
    /// The number of unanswered requests of each process.
    private var requests: [Int32: Int] = [:]
    private var signals: [SignalWatcher] = []
    private var ended: CheckedContinuation<Void, Never>?
    private var allHaveLeft: CheckedContinuation<Void, Never>?

    /// Acquires the lock and the socket; does not accept peers yet.
    package init(_ options: HostOptions) throws(StartError) {
        self.options = options
        // Absolute, because workers start in another directory.
        let state = try StateDirectory(
            options.stateDir.map { $0.hasPrefix("/") ? $0 : HostOptions.currentDirectory + $0 })
        try state.ensure()
        self.state = state
        socket = try Self.socketPath(options)
        let lock = try ProcessLock.acquiredAtStart(state.daemonLock, saying: socket.text)
        guard let lock else {
            throw StartError(
                EX_UNAVAILABLE,
                "another napkind uses the state directory \(state.path); end it, "
                    + "or choose another one with --state-dir")
        }
        let (acceptor, ownsSocketFile) = try Self.acceptor(at: socket, options)
        self.ownsSocketFile = ownsSocketFile
        files = ProcessFiles(
            socket: socket, acceptor: acceptor, lock: lock, in: state, logger: logger)
    }

    private static func socketPath(_ options: HostOptions) throws(StartError) -> SocketPath {
        try StartError.ofSystem { () throws(TransportError) in
            guard let chosen = options.socket else { return try SocketPath.napkinDefault() }
            // Workers and locks need a path that means the same in every directory.
            return try SocketPath(
                chosen.hasPrefix("/") ? chosen : HostOptions.currentDirectory + chosen)
        }
    }

    /// Returns the socket from systemd, or a new one in place of a dead daemon's.
    private static func acceptor(
        at path: SocketPath, _ options: HostOptions
    ) throws(StartError) -> (Acceptor, Bool) {
        try StartError.ofSystem { () throws(TransportError) in
            let chosen = SocketDirectory(path: path.directory, policy: .chosen)
            try (options.socket == nil ? SocketDirectory.napkinDefault : chosen).ensure()
            if let descriptor = ActivatedSocket.descriptor {
                return (try Acceptor(adopting: descriptor), false)
            }
            if try path.probe() == .alive {
                throw TransportError(
                    code: "EADDRINUSE", operation: "listen", subject: path.text,
                    message: "another napkind listens on \(path); use it, end it, or choose "
                        + "another --socket")
            }
            try path.removeIfStale()
            return (try Acceptor(bindingTo: path.text), true)
        }
    }

    package func socketPath(of worker: WorkerID) throws(StartError) -> String {
        let path = "\(socket.directory)/\(worker.fileName).sock"
        _ = try StartError.ofSystem { () throws(TransportError) in try SocketPath(path) }
        guard path != socket.text else {
            throw StartError(
                EX_SOFTWARE, "the app '\(worker.app)' would have \(Self.name)'s own socket")
        }
        return path
    }

    // MARK: - Running

    /// Accepts peers, whose requests the handler answers.
    package func start(_ handler: any RequestHandler) {
        self.handler = handler
        files.start { [weak self] channel in
            guard let self else { return channel.close() }
            let connection = PeerConnection(server: self, channel: channel)
            connections[ObjectIdentifier(connection)] = connection
        }
    }

    /// Announces that the process is ready; returns when a signal or `end()` ends it. Then drain.
    ///
    /// - Parameter whenReady: called once the ready descriptor is closed.
    /// - Returns: the exit code.
    package func untilEnded(whenReady: () -> Void = {}) async -> Int32 {
        let watchers = DaemonSignals.onDraining(logger) { [weak self] in self?.end() }
        guard let watchers else { return EX_OSERR }
        signals = watchers
        logger.info("ready", metadata: ["socket": "\(socket)"])
        guard sayReady() else { return EX_IOERR }
        whenReady()
        await withCheckedContinuation { ended = $0 }
        return EX_OK
    }

    private func sayReady() -> Bool {
        guard let descriptor = options.readyFd else { return true }
        let line = Array("ready \(socket)\n".utf8)
        let written = write(descriptor, line, line.count)
        Glibc.close(descriptor)
        // Otherwise the first peer would get the standard output's number.
        StandardDescriptors.open()
        if written != line.count {
            logger.error(
                "the ready descriptor cannot be written", metadata: ["fd": "\(descriptor)"])
        }
        return written == line.count
    }

    package func end() {
        ended?.resume()
        ended = nil
    }

    /// Stops accepting, and dismisses all peers.
    ///
    /// - Parameter event: what is happening to this process.
    package func close(since event: String) {
        files.close(removingSocket: ownsSocketFile)
        for connection in connections.values {
            connection.link.refuse(Refusal(.shuttingDown, "\(Self.name) \(event)"))
        }
    }

    /// Returns when all peers have disconnected, or after the deadline.
    package func untilAllHaveLeft(within time: Duration) async {
        guard !connections.isEmpty else { return }
        let deadline = LoopTimer(deadline: time) { [self] in endGoodbye() }
        await withCheckedContinuation { allHaveLeft = $0 }
        deadline.cancel()
    }

    private func endGoodbye() {
        allHaveLeft?.resume()
        allHaveLeft = nil
    }

    /// Returns the process's description of itself.
    package func status(unwatched: [String] = []) -> DaemonStatus {
        let figures = ProcessFigures(of: getpid())
        return DaemonStatus(
            seconds: figures?.seconds, bytes: figures?.bytes, stateDirectory: state.path,
            ledger: options.ledgerBackend.name,
            machine: options.ledgerBackend == .files ? nil : options.machineName,
            logLevel: LogLevel.current.rawValue, isInJournal: JournalStream.isOurs ? true : nil,
            unwatched: unwatched.isEmpty ? nil : unwatched)
    }

    // MARK: - Peers

    func remove(_ connection: PeerConnection) {
        connections[ObjectIdentifier(connection)] = nil
        if connections.isEmpty { endGoodbye() }
    }

    func ended(_ connection: PeerConnection, _ end: ConnectionEnd) {
        remove(connection)
        watch.ended(connection.peer, end, logger)
    }

    /// Counts a request of that process, unless it has too many open. Report `requestEnded` later.
    func mayRequest(_ pid: Int32) -> Bool {
        guard requests[pid, default: 0] < Limits.requestsMax else { return false }
        requests[pid, default: 0] += 1
        return true
    }

    func requestEnded(_ pid: Int32) {
        guard let count = requests[pid] else { return }
        requests[pid] = count > 1 ? count - 1 : nil
    }
}
