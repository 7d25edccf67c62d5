// ChannelConnection: connects a channel to a path.
//
// Layer      transport, sockets. No libuv: a Unix socket connects at once or not at all.

internal import Glibc

extension Channel {
    /// The pause between two attempts while the other side's backlog is full. Chosen: 5 ms.
    private static let retryAfter = Duration.milliseconds(5)
    /// Attempts before a full backlog becomes an error: 2 s, twice a restart's last back-off.
    private static let attemptsMax = 400

    /// Connects to the socket at `path`.
    ///
    /// Waits at most 2 s while the backlog is full: a worker that is being restarted accepts late.
    ///
    /// - Parameter waits: whether it also waits for a missing socket, since its listener recreates
    ///   one that was removed.
    ///
    /// Errors: `ENAMETOOLONG`; `ENOENT` (no such file); `ECONNREFUSED` (nobody listens); `EACCES`;
    /// `EAGAIN` (backlog full for 2 s); `ECANCELED` (the task was cancelled meanwhile).
    package static func connect(
        to path: String, waitingForSocket waits: Bool = false
    ) async throws(TransportError) -> Channel {
        let path = try SocketPath(path)
        let descriptor = try LocalSocket.open("connect", on: path.text)
        do throws(TransportError) {
            var result = LocalSocket.connect(descriptor, to: path)
            var attempts = 1
            while result == EAGAIN || waits && [ENOENT, ECONNREFUSED].contains(result),
                attempts < attemptsMax
            {
                guard !Task.isCancelled else {
                    result = ECANCELED
                    break
                }
                await LoopTimer.wait(retryAfter)
                result = LocalSocket.connect(descriptor, to: path)
                attempts += 1
            }
            guard result == 0 else { throw connectError(result, path) }
            return try own(descriptor)
        } catch {
            LocalSocket.close(descriptor)
            throw error
        }
    }

    private static func connectError(_ number: Int32, _ path: SocketPath) -> TransportError {
        let message: String? =
            switch number {
            case ENOENT: "no socket is there: has the server been started?"
            case ECONNREFUSED: "nobody listens there: the server has ended, or does not listen yet"
            case EAGAIN: "the server does not accept connections: its backlog stayed full"
            default: nil
            }
        let plain = LocalSocket.systemError("connect", on: path.text, number)
        guard let message else { return plain }
        return TransportError(
            code: plain.code, operation: plain.operation, subject: plain.subject, message: message)
    }
}
