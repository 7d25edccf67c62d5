// ExitTable: the client's exit status for each kind of failure.
//
// Spec       sysexits(3)

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// The statuses, by name.
enum ExitTable {
    static let failed: Int32 = 1
    static let usage: Int32 = 64
    static let dataError: Int32 = 65
    static let noInput: Int32 = 66
    static let unavailable: Int32 = 69
    static let software: Int32 = 70
    static let cannotCreate: Int32 = 73
    static let ioError: Int32 = 74
    static let tryAgain: Int32 = 75
    static let protocolError: Int32 = 76
    static let noPermission: Int32 = 77

    /// The meaning of each status: for `--help` in short, and for the manual.
    static let rows: [(status: Int32, meaning: String)] = [
        (0, "Done; detached."),
        (
            failed,
            "The event's handler ran and failed (send); a step of the workflow failed (open); "
                + "sessions would end (stop, restart, upgrade without --force); there is a problem "
                + "(status, doctor, ledger verify, ledger salvage); lines are left to add (new)."
        ),
        (
            usage,
            "The command line is wrong: an unknown option, an empty value, a socket path that is "
                + "too long, no terminal, an unknown theme."
        ),
        (
            dataError,
            "An argument is not JSON, not of the contract's type, or not a URL, or there are too "
                + "many or too few arguments; the session belongs to another app; a lock file "
                + "lacks changes."
        ),
        (
            noInput,
            "There is no such app, session, feature, event, node, preview or lock file; the app "
                + "does not know the URL."
        ),
        (
            unavailable,
            "There is no daemon, or it cannot be started or does not answer; there is no worker, "
                + "or it does not answer, so that a listing lacks its sessions; there is no front; "
                + "the session was killed."
        ),
        (software, "A bug in this program."),
        (
            cannotCreate,
            "A file that new would create already exists or cannot be created; a session "
                + "already has the name that new-session would give."
        ),
        (
            ioError,
            "A connection broke, or send was interrupted, and it is unknown whether the event was "
                + "handled; standard output cannot be written (if its reader has gone, no message "
                + "says so)."
        ),
        (
            tryAgain,
            "Try again: overloaded, shutting down, not executed, timed out, cancelled."
        ),
        (
            protocolError,
            "Versions or contracts differ, or a contract breaks its lock file; another program "
                + "than napkind listens on the socket."
        ),
        (noPermission, "Not permitted: another user's socket, a read-only front."),
    ]

    /// The exit statuses of napkind.
    static let ofDaemon: [(status: Int32, meaning: String)] = [
        (0, "Ended gracefully, by a signal."),
        (usage, "The command line is wrong, a value is empty, or the socket's path is too long."),
        (unavailable, "Another napkind listens there, or uses the state directory."),
        (
            software,
            "A bug in this program, such as an invalid name of a session to open at start."
        ),
        (71, "The system refused something: a directory, a socket, a signal handler."),
        (73, "A lock cannot be created, or the user has no home directory for it."),
        (ioError, "The ready descriptor, or standard output, cannot be written."),
        (noPermission, "A directory belongs to another user, or is open to others."),
    ]

    /// The exit statuses in short, for `--help`.
    static let help = """
        Exit status, as in sysexits(3): 0 done, 1 the event failed, 64 usage, 65 not JSON, \
        66 no such app or session, 69 no daemon, 74 connection lost, 75 try again, \
        76 versions or contracts differ, 77 not permitted. Details are in napkin-client(1).
        """

    static func status(for error: FrontError) -> Int32 {
        if let refusal = error.refusal { return status(for: refusal) }
        switch error.code {
        case .noDaemon, .badSocket, .spawnFailed, .refused, .silent: return unavailable
        case .disconnected: return ioError
        case .notNapkind: return protocolError
        case .notPermitted: return noPermission
        }
    }

    static func status(for refusal: Refusal.Code) -> Int32 {
        switch refusal {
        case .version, .contractMismatch, .protocolViolation: protocolError
        case .notPermitted: noPermission
        case .unknownApp, .unknownSession: noInput
        case .sessionOfAnotherApp, .badRequest: dataError
        case .workerUnavailable, .sessionEnded, .detached: unavailable
        case .badTicket, .overloaded, .shuttingDown: tryAgain
        }
    }

    static func status(for fault: RemoteFault) -> Int32 {
        switch fault.code {
        case .failed: failed
        case .gone: noInput
        case .overloaded, .notExecuted, .cancelled: tryAgain
        case .unknown, .interrupted, .deadlineExceeded: ioError
        case .unimplemented: protocolError
        case .refused: noPermission
        case .noFront: unavailable
        }
    }

    /// `completed` is not a failure.
    static func status(for outcome: WorkflowEnded.Outcome) -> Int32 {
        switch outcome {
        case .completed: 0
        case .failed: failed
        case .cancelled, .overloaded: tryAgain
        case .malformedURL: dataError
        case .unknownURL: noInput
        case .refused: noPermission
        }
    }

    static func status(for error: TransportError) -> Int32 {
        switch error.code {
        case "ENAMETOOLONG", "EINVAL": usage
        case "EACCES", "EPERM": noPermission
        default: unavailable
        }
    }
}
