// WorkerDeath: why a worker died, and the sentence that people read about it.
//
// Invariant  reads no log and no clock.
// Spec       Protocol/MANIFEST.md, section 5 (Limits)

import Glibc
import NapkinHost
import NapkinProtocol

/// The death of a worker that was not asked to end.
struct WorkerDeath: Hashable, Sendable {
    /// The time for which returning fronts learn of a death. Chosen: a worker is restarted sooner.
    private static let newsTime = Duration.seconds(60)

    /// The reason why the worker is gone, as napkind saw or decided it.
    enum Cause: Hashable, Sendable {
        case exited(code: Int32)
        case signalled(Int32)
        /// The connection of an earlier napkind's worker ended: such a worker is no child.
        case disconnected
        case notStarted(reason: String)
        /// Its loop left a ping unanswered: napkind ends it.
        case hung(Duration)
        /// It used more than its manifest allows: napkind ends it.
        case exceeded(WorkerExcess)
        /// A new process did not register, and may be no worker: napkind ends it.
        case unregistered(Duration)
        /// A worker of an earlier napkind did not register: napkind ends it.
        case unheard(Duration)
    }

    /// The lines of the log that count as a worker's last words.
    enum LastWords: Hashable, Sendable {
        /// napkind knows why the worker died.
        case none
        /// The Swift runtime's message.
        case trap
        /// The same, or else the last line that is no log line: a process that exits may say why.
        case line
    }

    let cause: Cause
    /// When it was seen, in monotonic time.
    let at: Duration
    /// The sentence for people.
    var text: String

    init(cause: Cause, at: Duration) {
        (self.cause, self.at, text) = (cause, at, cause.text)
    }

    /// Returns the sentence with the worker's last words.
    ///
    /// - Parameter memory: the worker's limit in bytes, which explains a failed allocation.
    func text(saying words: String, memory: Int?) -> String {
        let said = "\(cause.text), and said: \(words)"
        // The words are the Swift runtime's.
        guard let memory, words.contains("failed to allocate") else { return said }
        return "\(said); \(WorkerExcess.limit(ofMemory: memory))"
    }

    /// Whether a front that returns at `now` learns of the death.
    func isNews(at now: Duration) -> Bool { now - at < Self.newsTime }
}

extension WorkerDeath.Cause {
    var text: String {
        switch self {
        case .exited(let code): "it exited with code \(code)"
        case .signalled(let signal): "it was ended by signal \(signal)"
        case .disconnected: "its connection ended"
        case .notStarted(let reason): reason
        case .hung(let time): "its loop did not answer for \(time.components.seconds) s"
        case .exceeded(let excess): excess.text
        case .unregistered(let time):
            "it did not register within \(time.components.seconds) s, as a worker does"
        case .unheard(let time): "it did not register for \(time.components.seconds) s"
        }
    }

    var lastWords: WorkerDeath.LastWords {
        switch self {
        case .exited: .line
        case .signalled, .disconnected: .trap
        case .notStarted, .hung, .exceeded, .unregistered, .unheard: .none
        }
    }

    /// Whether another machine has its journal.
    var yields: Bool { self == .exited(code: WorkerOptions.elsewhereStatus) }

    /// Whether another process of this program would end in the same way.
    var recurs: Bool {
        if case .unregistered = self { true } else { false }
    }

    /// Returns the input that ran if it may be the reason. A launch that somebody else may have
    /// killed is not blamed: two deaths of a launch roll its session back.
    func suspect(_ running: FlightInput?) -> FlightInput? {
        running?.kind == .launch && mayBeKill ? nil : running
    }

    /// Whether somebody else may have ended the process.
    private var mayBeKill: Bool { [.signalled(SIGKILL), .disconnected].contains(self) }

    /// Whether somebody else may have ended the process: it has noted no signal of its own.
    func mayBeKill(_ recording: FlightRecording) -> Bool { mayBeKill && recording.signal == 0 }

    /// Whether napkind makes the process print a backtrace. One for lack of memory would take
    /// memory, and show an arbitrary place.
    var printsTrace: Bool {
        switch self {
        case .hung, .unheard, .exceeded(.processor): true
        default: false
        }
    }
}

/// The measured use of a resource, and its limit.
enum WorkerExcess: Hashable, Sendable {
    /// Resident bytes.
    case memory(Int, limit: Int)
    /// Seconds in the last `AppLimits.processorWindowSeconds`.
    case processor(UInt64, limit: Int)

    /// Returns `nil` if the worker keeps to its limits.
    ///
    /// - Parameter milliseconds: processor time in the last `AppLimits.processorWindowSeconds`.
    init?(bytes: Int, milliseconds: UInt64, _ limits: AppLimits) {
        if let limit = limits.memory, bytes > limit {
            self = .memory(bytes, limit: limit)
        } else if let limit = limits.processor, milliseconds > UInt64(limit) * 1000 {
            self = .processor(milliseconds / 1000, limit: limit)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .memory(let bytes, let limit):
            "it used \(Self.mebibytes(bytes)) MiB of memory, and \(Self.limit(ofMemory: limit))"
        case .processor(let seconds, let limit):
            "it used \(seconds) s of processor time in \(AppLimits.processorWindowSeconds) s, and "
                + "its limit is \(limit) s: 'processor' in 'limits' of its manifest"
        }
    }

    static func limit(ofMemory bytes: Int) -> String {
        "its limit is \(mebibytes(bytes)) MiB: 'memory' in 'limits' of its manifest"
    }

    /// Rounds up, so that a value above a limit does not read as if it were at the limit.
    private static func mebibytes(_ bytes: Int) -> Int { (bytes + (1 << 20) - 1) >> 20 }
}
