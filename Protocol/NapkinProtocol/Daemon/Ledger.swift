// Ledger: the requests of tools about journals, and the answers.
//
// Spec       Protocol/TOOLS.md, section 4 (What is stored); Protocol/LEDGER.md

import NapkinCoding

/// A request about a journal or one of its sessions.
public enum LedgerRequest: Codable, Equatable, Sendable {
    /// Answered by the names of the workers that have left journals, as `[String]`.
    case journals
    /// Answered by `[LedgerEntry]`.
    case list
    /// Answered by `LedgerReport`.
    case verify
    /// Answered by `true` when the copy is complete. The path is on the worker's machine.
    case copy(path: String)
    /// Answered by `LedgerSession`: the present session, or the session as of an older record.
    case show(record: UInt64? = nil)
    /// Answered by the bytes of a file, Protocol/LEDGER.md.
    case export
    /// Answered by `true`. Uploads a part of a file; the last part turns the file into the session.
    case load(offset: UInt64, bytes: [UInt8], isLast: Bool, isNamed: Bool)
    /// Answered by `LedgerRewind`. Without `isMeant`, nothing happens.
    case rewind(record: UInt64, isMeant: Bool)
}

extension LedgerRequest {
    /// The refusal of a request that is invalid whatever is stored; `nil` if it is valid.
    func refusal(_ session: String?) -> Refusal? {
        switch self {
        case .journals, .list, .verify: return nil
        case .copy(let path):
            guard path.hasPrefix("/"), path.utf8.count <= LedgerLimits.pathBytesMax,
                !path.utf8.contains(0)
            else {
                return Refusal(
                    .badRequest,
                    "the path of a copy begins with / and has at most "
                        + "\(LedgerLimits.pathBytesMax) bytes")
            }
            return nil
        case .load(let offset, let bytes, _, _):
            guard bytes.count <= LedgerLimits.partBytes,
                offset <= UInt64(LedgerLimits.exportBytesMax - bytes.count)
            else {
                return Refusal(
                    .badRequest,
                    "a session that is loaded has at most \(LedgerLimits.exportBytesMax) bytes, in "
                        + "parts of \(LedgerLimits.partBytes)")
            }
        case .show, .export, .rewind: break
        }
        guard session == nil else { return nil }
        return Refusal(.badRequest, "the query names no session")
    }
}

/// The limits of these requests.
public enum LedgerLimits {
    /// Bytes of an exported session. Chosen: as many as a worker keeps of unfetched answers.
    public static let exportBytesMax = Limits.answersUnfetchedBytesMax
    /// Bytes of one part of a loaded file. It fits into a control frame with its header.
    public static let partBytes = 48 * 1024
    /// Files loaded into one worker at the same time. Chosen: each is kept in its memory.
    public static let loadsMax = 4
    /// Seconds that copying or checking a journal may take. Chosen: some gigabytes from a slow
    /// disk.
    public static let patienceSeconds = 600
    /// Records described in an answer, the newest ones. Chosen: more than a person reads.
    public static let recordsShownMax = 500
    /// Problems reported for one journal. Chosen: more than a person reads.
    public static let problemsMax = 100
    /// Bytes of the path of a copy. Source: `PATH_MAX` of Linux.
    public static let pathBytesMax = 4096
}

/// A session of a journal.
@Message
public struct LedgerEntry: Equatable {
    public var session: String
    public var app: String
    /// The worker whose journal has it.
    public var worker: String
    /// Its name for the app.
    public var id: String
    /// Bytes of its image and of the records that the image lacks.
    public var bytes: Int
    /// The group of its newest record, or of its image if no record follows that.
    public var record: UInt64
    /// `machine` or `process`.
    public var level: String
    /// Whether it is in memory.
    public var isRunning: Bool
    /// As in `Attached`.
    public var takenBack: UInt64?
}

/// One session as it is stored.
@Message
public struct LedgerSession: Equatable {
    /// A router, with its interactor's state if it is durable.
    @Message
    public struct Node: Equatable {
        public var number: UInt32
        /// The parent's number; 0 for the root.
        public var parent: UInt32
        public var slot: String
        public var feature: String
        /// The front that owns the page; absent if no front does.
        public var front: UInt64?
        /// The encoded arguments and state.
        public var arguments: [UInt8]
        public var state: [UInt8]?
        /// Whether the session runs without it, since the app has not attached it again.
        public var isMissing: Bool?
    }

    /// The record of a front's events.
    @Message
    public struct Front: Equatable {
        public var front: UInt64
        /// The number of its newest recorded event.
        public var started: UInt64
        /// The answers that are kept, and their bytes.
        public var answers: Int
        public var answerBytes: Int
        /// The numbers of events that had changed something but not ended.
        public var begun: [UInt64]
        /// The trace in which it acts.
        public var traceparent: String?
    }

    /// A timer that has yet to fire, or has been given up.
    @Message
    public struct Timer: Equatable, MandatoryFields {
        /// The number of its router.
        public var node: UInt32
        public var name: String
        /// When it fires next, in milliseconds since 1970.
        public var due: Int64
        /// Milliseconds between two firings; absent if it fires once.
        public var interval: Int64?
        /// How often its handler was begun after a worker may have ended during it.
        public var attempts: Int = 0
        /// Why it was given up.
        public var failure: String?
    }

    /// A job that has not ended, or has been given up: a dead letter.
    @Message
    public struct Job: Equatable {
        /// The number of its router.
        public var node: UInt32
        /// 32 hexadecimal digits.
        public var key: String
        /// When its next attempt is due, in milliseconds since 1970.
        public var due: Int64
        /// The number of attempts known to have begun.
        public var attempts: Int
        /// Why it was given up.
        public var failure: String?
    }

    public var entry: LedgerEntry
    /// The epoch of its tree.
    public var epoch: UInt32
    /// The group up to which it can be rewound.
    public var oldest: UInt64
    public var nodes: [Node]
    public var fronts: [Front]
    /// The newest records, at most `LedgerLimits.recordsShownMax`.
    public var records: [LedgerRecord]
    /// The timers and jobs; absent if there are none.
    public var timers: [Timer]?
    public var jobs: [Job]?
}

/// One record of a session.
@Message
public struct LedgerRecord: Equatable {
    /// Its group.
    public var record: UInt64
    public var bytes: Int
    /// Its changes, in words.
    public var changes: [String]
}

/// The result of checking a journal.
@Message
public struct LedgerReport: Equatable, MandatoryFields {
    public var worker: String
    public var sessions: Int = 0
    public var groups: Int = 0
    public var records: Int = 0
    public var bytes: Int = 0
    /// The problems found; at most `LedgerLimits.problemsMax`.
    public var problems: [String] = []
}

/// The effect of rewinding a session to an older record, done or proposed.
@Message
public struct LedgerRewind: Equatable {
    public var session: String
    /// The record to which it returns.
    public var record: UInt64
    /// The newest undone records, at most `LedgerLimits.recordsShownMax`, and the count of all
    /// undone ones.
    public var undone: [LedgerRecord]
    public var count: Int
    /// The attached fronts, which see the older state.
    public var fronts: Int
    public var isDone: Bool
}

/// Counts of the changes that a method's handlers have made to a session.
@Message
public struct LedgerCount: Equatable, MandatoryFields {
    public var feature: String
    /// The method's key, or a handler of timers or jobs; `-` for changes by neither.
    public var method: String
    public var records: UInt64 = 0
    /// Bytes of these records.
    public var bytes: UInt64 = 0
    /// How often a handler changed something and then waited.
    public var begun: UInt64 = 0
}
