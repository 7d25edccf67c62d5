// ProcessFiles: the socket and the lock of napkind or of a worker, made again when removed.
//
// Layer      daemon.
// Isolation  @MainActor: the loop thread.
// Ownership  owns the acceptor and the lock; owned by its process until `close()`.
// Invariant  a file that is another's is left alone.

import Glibc
import Logging
import NapkinTransport

/// What a process of ours has in the file system, where cleaners and operators come, too.
@MainActor
final class ProcessFiles {
    /// Between two looks. Chosen: half of the second within which a file is there again; a look
    /// is three system calls.
    static let interval = Duration.milliseconds(500)
    /// Looks after which the socket counts as used, for cleaners that go by a file's age. Chosen:
    /// an hour.
    private static let looksToRefresh = 7200

    private let socket: SocketPath
    private let lockDirectory: StateDirectory
    private let logger: Logger
    private var acceptor: Acceptor
    /// The socket's file; `nil` where it was never there, as systemd may have it elsewhere.
    private var socketFile: FileIdentity?
    private var lock: ProcessLock
    private var onAccept: @MainActor (Channel) -> Void = { $0.close() }
    private var timer: LoopTimer?
    private var looks = 0
    /// Logged once, until it is another.
    private var complaint = ""

    /// Whether files are made again. A worker without a napkind leaves that be: nobody could find
    /// it by them.
    var areKept = true

    init(
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

    /// Begins to accept, and to look after the files.
    func start(_ onAccept: @escaping @MainActor (Channel) -> Void) {
        self.onAccept = onAccept
        acceptor.start(onAccept)
        timer = LoopTimer(after: Self.interval, repeating: Self.interval) { [weak self] in
            self?.restore()
        }
    }

    /// Looks whether all is in place, and makes again what is not.
    func restore() {
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
        guard try lock.restore() else {
            throw StartError(EX_UNAVAILABLE, "another process has locked \(lockDirectory.path)")
        }
        logger.warning("lock restored", metadata: ["directory": "\(lockDirectory.path)"])
    }

    private func restoreSocket() throws(StartError) {
        guard let socketFile else { return }
        if FileIdentity(at: socket.text) == socketFile { return refresh() }
        do throws(TransportError) {
            try SocketDirectory(path: socket.directory, policy: .chosen).ensure()
            try socket.removeIfStale()
            let former = acceptor
            acceptor = try Acceptor(bindingTo: socket.text)
            self.socketFile = FileIdentity(at: socket.text)
            acceptor.start(onAccept)
            // Who had connected to the former one by then is still let in.
            _ = LoopTimer(after: Self.interval) { former.close() }
        } catch {
            throw StartError(error)
        }
        logger.warning("socket restored", metadata: ["socket": "\(socket)"])
    }

    private func refresh() {
        looks += 1
        guard looks.isMultiple(of: Self.looksToRefresh) else { return }
        utimes(socket.text, nil)
        utimes(socket.directory, nil)
    }

    /// Stops listening, and looking after the files.
    ///
    /// - Parameter removesSocket: the socket's file goes, too, if it is still ours.
    func close(removingSocket removesSocket: Bool) {
        timer?.cancel()
        timer = nil
        if removesSocket, let socketFile, FileIdentity(at: socket.text) == socketFile {
            unlink(socket.text)
        }
        acceptor.close()
    }
}
