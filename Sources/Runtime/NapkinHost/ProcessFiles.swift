// ProcessFiles: the socket and the lock of napkind or of a worker, recreated when removed.
//
// Ownership  owns the acceptor and the lock; owned by its process until `close()`.
// Invariant  a file that belongs to another process is left alone.

import Glibc
package import Logging
package import NapkinTransport

/// The files of one of our processes, which cleaners and operators may also touch.
@MainActor
package final class ProcessFiles {
    /// The time between two checks. Chosen: half of the second in which a file must be restored; a
    /// check is four system calls.
    static let interval = Duration.milliseconds(500)
    /// The number of checks after which the socket is marked as used, for cleaners that go by a
    /// file's age. Chosen: an hour.
    private static let checksToRefresh = 7200

    private let socket: SocketPath
    private let lockDirectory: StateDirectory
    private let logger: Logger
    private var acceptor: Acceptor
    /// The socket's file; `nil` if systemd keeps it elsewhere.
    private var socketFile: FileIdentity?
    private var lock: ProcessLock
    private var onAccept: @MainActor (Channel) -> Void = { $0.close() }
    private var timer: LoopTimer?
    private var checks = 0
    /// The last complaint, which is logged again only when it changes.
    private var complaint = ""

    /// Whether removed files are recreated. A worker without a napkind does not recreate them,
    /// because nobody could use them to find the worker.
    package var areKept = true

    package init(
        socket: SocketPath, acceptor: Acceptor, lock: consuming ProcessLock,
        in lockDirectory: StateDirectory, logger: Logger
    ) {
        self.socket = socket
        self.acceptor = acceptor
        self.lock = lock
        self.lockDirectory = lockDirectory
        self.logger = logger
        socketFile = FileIdentity(at: socket.text)
    }

    /// Begins to accept connections and to maintain the files.
    package func start(_ onAccept: @escaping @MainActor (Channel) -> Void) {
        self.onAccept = onAccept
        acceptor.start(onAccept)
        timer = LoopTimer(every: Self.interval) { [weak self] in
            self?.restore()
        }
    }

    /// Recreates missing files.
    package func restore() {
        lock.clearQuestions()
        guard areKept, timer != nil else { return }
        do throws(StartError) {
            try restoreLock()
            try restoreSocket()
            complaint = ""
        } catch {
            guard error.message != complaint else { return }
            complaint = error.message
            logger.error("a removed file is not restored", metadata: ["error": "\(complaint)"])
        }
    }

    private func restoreLock() throws(StartError) {
        guard !lock.isInPlace else { return }
        try lockDirectory.ensure()
        let isRestored = try StartError.ofSystem { () throws(TransportError) in
            try lock.restore()
        }
        guard isRestored else {
            throw StartError(EX_UNAVAILABLE, "another process has locked \(lockDirectory.path)")
        }
        logger.warning("lock restored", metadata: ["directory": "\(lockDirectory.path)"])
    }

    private func restoreSocket() throws(StartError) {
        guard let socketFile else { return }
        if FileIdentity(at: socket.text) == socketFile { return refresh() }
        try StartError.ofSystem { () throws(TransportError) in
            try SocketDirectory(path: socket.directory, policy: .chosen).ensure()
            try socket.removeIfStale()
            let former = acceptor
            acceptor = try Acceptor(bindingTo: socket.text)
            self.socketFile = FileIdentity(at: socket.text)
            acceptor.start(onAccept)
            // Peers that have connected to the former socket until then are still admitted.
            _ = LoopTimer(after: Self.interval) { former.close() }
        }
        logger.warning("socket restored", metadata: ["socket": "\(socket)"])
    }

    private func refresh() {
        checks += 1
        guard checks.isMultiple(of: Self.checksToRefresh) else { return }
        utimes(socket.text, nil)
        utimes(socket.directory, nil)
    }

    /// Stops listening and maintaining the files.
    ///
    /// - Parameter removesSocket: whether to remove the socket's file, if it is still ours.
    package func close(removingSocket removesSocket: Bool) {
        timer?.cancel()
        timer = nil
        if removesSocket, let socketFile, FileIdentity(at: socket.text) == socketFile {
            unlink(socket.text)
        }
        acceptor.close()
    }
}
