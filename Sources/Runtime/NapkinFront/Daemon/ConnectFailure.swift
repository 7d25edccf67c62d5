// ConnectFailure: explains why napkind could not be reached, and says what to do.

import Glibc
import NapkinProtocol
import NapkinRuntime
import NapkinTransport

enum ConnectFailure {
    /// connect(2) failed.
    static func unreachable(_ socket: String, _ error: TransportError) -> FrontError {
        switch error.code {
        case "ENOENT":
            FrontError(
                .noDaemon,
                "no napkind at \(socket), which does not exist: "
                    + "start it with `napkind --socket \(socket)`, or check the path")
        case "ENOTDIR":
            FrontError(
                .badSocket,
                "no napkind at \(socket): part of the path is a file, not a directory; "
                    + "check the path given as --socket")
        case "ECONNREFUSED" where isNoSocket(socket):
            FrontError(.badSocket, "\(socket) is not a socket: check the path given as --socket")
        case "ECONNREFUSED":
            FrontError(
                .noDaemon,
                "no napkind at \(socket), a socket left over from one that has ended: "
                    + "start it with `napkind --socket \(socket)`")
        case "EACCES", "EPERM":
            FrontError(
                .notPermitted,
                "no permission to connect to \(socket), which is another user's: "
                    + "start a napkind of your own with another --socket")
        default: FrontError(.badSocket, "\(error)")
        }
    }

    /// Nobody listens, but another daemon holds the state directory, so none can be started.
    static func occupied(_ launcher: DaemonLauncher) -> FrontError {
        FrontError(
            .spawnFailed,
            "\(launcher.executable) cannot start, as another one has its state directory and "
                + "does not listen here: `napkin-client doctor` says where; see "
                + "\(launcher.logPath)")
    }

    /// The listening process does not serve this user.
    static func stranger(_ server: String, _ user: String) -> FrontError {
        FrontError(
            .notPermitted,
            "\(server) belongs to \(user), not to you: "
                + "start a napkind of your own with another --socket")
    }

    /// The connection ended before the handshake was done.
    static func unwelcome(_ socket: String, _ pid: Int32?, _ end: ConnectionEnd) -> FrontError {
        switch end {
        case .silent: silent(socket, pid, for: .seconds(Limits.handshakeSeconds))
        case .refused(let refusal): FrontError(refusal)
        case .violated(let what):
            FrontError(
                .notNapkind,
                "the program listening on \(socket) is not a napkind that this client "
                    + "understands (\(what)): check the path given as --socket, or end the program")
        case .closed, .peerClosed, .failed:
            FrontError(
                .disconnected,
                "the program listening on \(socket) closed the connection without a word: try "
                    + "again if it is a napkind that was just ending; otherwise, check the path "
                    + "given as --socket")
        }
    }

    /// A process listens, and does not answer.
    static func silent(_ socket: String, _ pid: Int32?, for time: Duration) -> FrontError {
        let process = pid.map { "\($0)" } ?? "PID"
        return FrontError(
            .silent,
            "the program listening on \(socket) (process \(process)) has not answered for "
                + "\(time.components.seconds) s: it is stopped, or is not napkind; continue it "
                + "with `kill -CONT \(process)`, or check the path given as --socket")
    }

    /// ssh has ended; `words` are its last output, or the remote program's.
    static func remote(
        _ host: String, _ status: ChildProcess.ExitStatus, _ words: String
    ) -> FrontError {
        switch status {
        case .exited(255): FrontError(.noDaemon, "cannot reach \(host): \(words)")
        case .exited(126), .exited(127):
            FrontError(
                .noDaemon,
                "no napkin-client can be run on \(host) (\(words)): install it there, in a "
                    + "directory of the PATH that commands get over SSH")
        case .exited(EX_NOPERM): FrontError(.notPermitted, "at \(host): \(words)")
        case .exited: FrontError(.noDaemon, "at \(host): \(words)")
        case .signalled(let signal):
            FrontError(.noDaemon, "ssh to \(host) was ended by signal \(signal)")
        }
    }

    private static func isNoSocket(_ path: String) -> Bool {
        do throws(TransportError) {
            return try SocketPath(path).probe() == .notASocket
        } catch {
            return false
        }
    }
}
