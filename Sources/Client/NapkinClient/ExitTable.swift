// ExitTable: the client's exit status for each kind of failure.
//
// Spec       sysexits(3)

import NapkinCore
import NapkinFront
import NapkinProtocol
import NapkinTransport

/// The statuses by name; scripts/manual says when each is used.
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

    static let help = """
        Exit status, as in sysexits(3): 0 done, 1 the event failed, 64 usage, 65 refused input, \
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
        case .workerUnavailable, .sessionEnded, .detached, .elsewhere: unavailable
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
        case .quarantined: software
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
