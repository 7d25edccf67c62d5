// Receipt: napkind's record of a worker's death.
//
// Spec       Protocol/TOOLS.md, section 6 (Crashes)

/// One death of a worker.
public struct Receipt: Codable, Equatable, Sendable {
    /// The size limit of a receipt's file and of its image, in bytes. Chosen: many times the usual.
    public static let bytesMax = 1024 * 1024

    /// The outcome for the input that ran.
    public enum Outcome: String, Codable, Sendable {
        /// No input ran, it is unknown, or it is not to blame: a launch that others killed.
        case unnamed
        /// It may run once more.
        case suspect
        /// It does not run again.
        case setAside
        /// It may run again, as a person has decided.
        case released
    }

    /// The number of the app's receipt, from 1.
    public var number: UInt64
    public var app: String
    /// The worker's name, as in `apps`.
    public var worker: String
    public var pid: Int32
    /// When the worker died, in milliseconds since 1970.
    public var at: Int64
    /// When it died, in nanoseconds of the machine's monotonic clock, as in ``FlightInput``.
    public var nanoseconds: UInt64?
    /// How it died, for a person.
    public var cause: String
    /// The path of its program, the manifest's arguments if there are any, and the build id of that
    /// file; absent if it has none.
    public var program: String
    public var arguments: [String]?
    public var build: String?
    /// The manifest's variables for it, and its limits; absent in listings, and if there are none.
    public var environment: [String: String]?
    public var limits: AppLimits?
    /// The features from the session's root to the child whose process died; absent if the worker's
    /// process died.
    public var child: String?
    /// The signal that the process handled, and the address that it could not use; absent if it
    /// died without a signal.
    public var signal: Int32?
    public var address: UInt64?
    /// Whether somebody else may have ended the process; absent if not.
    public var wasKilled: Bool?
    /// The process's resident memory when it died, and at most, in bytes; absent if it handled no
    /// signal when it died.
    public var bytes: UInt64?
    public var peakBytes: UInt64?
    /// Its resident memory in the last minute, once a second, oldest first; absent if its manifest
    /// limits neither memory nor processor time, so that it is not measured.
    public var minute: [UInt64]?
    /// The events of the input's session that had no answer yet when the input began; absent if
    /// there were none.
    public var waiting: Int?
    /// When the session's newest input before that one began, in milliseconds since 1970. That
    /// input led to the state to which the session is rolled back. Absent if it is unknown.
    public var stateAt: Int64?
    /// The input that ran; absent if none did, or if it is unknown.
    public var input: FlightInput?
    public var outcome: Outcome
    /// The inputs before that, oldest first.
    public var former: [FlightInput]
    /// The return addresses of the thread that died, innermost first.
    public var frames: [FlightFrame]
    /// The input's session as it was stored after the death, in exported form; absent in listings,
    /// for a session that is not durable, and if it is larger than `bytesMax`.
    public var image: [UInt8]?
    /// The path of the file with the session as it was before it was rolled back; absent if it was
    /// not.
    public var kept: String?

    public init(
        number: UInt64, app: String, worker: String, pid: Int32, at: Int64, cause: String,
        program: String, arguments: [String] = [], build: String?, _ recording: FlightRecording,
        _ outcome: Outcome
    ) {
        (self.number, self.app, self.worker, self.pid) = (number, app, worker, pid)
        (self.at, self.cause, self.program, self.build) = (at, cause, program, build)
        self.arguments = arguments.isEmpty ? nil : arguments
        signal = recording.signal == 0 ? nil : recording.signal
        address = recording.address == 0 ? nil : recording.address
        bytes = recording.bytes == 0 ? nil : recording.bytes
        peakBytes = recording.peakBytes == 0 ? nil : recording.peakBytes
        (input, self.outcome) = (recording.running, outcome)
        waiting = recording.waiting == 0 ? nil : Int(recording.waiting)
        (former, frames) = (recording.former, recording.frames)
    }

    /// Where the program was: its innermost address, in its file; `nil` if it has none. Frames in
    /// other files, or further out, also depend on how the input arrived.
    public var place: UInt64? { frames.first { $0.module.map(isProgram) == true }?.offset }

    /// Notes when the session's state began: when its newest input did, or as the previous receipt
    /// says if that death was by the same delivery and the session has only been launched since.
    public mutating func noteState(after death: Receipt?) {
        guard let input else { return }
        let own = former.filter { $0.session == input.session }
        let newest = own.last { $0.kind != .launch }
        let isAgain = !own.isEmpty && death?.input?.isRepetition(of: input) == true
        stateAt = newest.flatMap(time) ?? (newest == nil && isAgain ? death?.stateAt : nil)
    }

    /// When an input began, in milliseconds since 1970; `nil` if it or this receipt does not say.
    public func time(of input: FlightInput) -> Int64? {
        guard let nanoseconds, input.nanoseconds > 0, input.nanoseconds <= nanoseconds
        else { return nil }
        let age = Int64((nanoseconds - input.nanoseconds) / 1_000_000)
        return at.subtractingReportingOverflow(age).partialValue
    }

    /// Whether a frame's module is the worker's program: the path may lead there through links, and
    /// of a long path only the end is known.
    public func isProgram(_ module: String) -> Bool {
        module.split(separator: "/").last == program.split(separator: "/").last
    }
}

/// The reason why the input of a receipt cannot run again elsewhere.
public enum ReplayGap: Error, Equatable, Sendable, CustomStringConvertible {
    case noInput
    case ofChild(String)
    /// The session is not durable, and its launch is too long ago.
    case noLaunch(session: String)
    /// The arguments of an event are unknown.
    case noArguments(front: UInt64, sequence: UInt64)

    public var description: String {
        switch self {
        case .noInput: "it names no input"
        case .ofChild(let child):
            "it happened in the process of the child \(child), and its parent's state was not "
                + "recorded: send its event to a session of yours"
        case .noLaunch(let session):
            "session \(session) is not durable, and its launch is not among the last "
                + "\(FlightPage.recordsMax) inputs of the worker"
        case .noArguments(let front, let sequence):
            "the arguments of event \(sequence) of front \(front) were not kept: its method is "
                + "@Secret, or they have more than \(FlightArguments.bytesMax) bytes"
        }
    }
}

extension Receipt {
    /// Returns the events that lead to the death again, in order. With an image, that is the input
    /// alone, if it is an event; otherwise all of the session's events since its launch.
    public func replay() throws(ReplayGap) -> [FlightInput] {
        if let child { throw .ofChild(child) }
        guard let input else { throw .noInput }
        var inputs = [input]
        if image == nil, input.kind != .launch {
            let own = former.filter { $0.session == input.session }
            guard let launch = own.lastIndex(where: { $0.kind == .launch }) else {
                throw .noLaunch(session: input.session)
            }
            inputs = own[launch...] + inputs
        }
        let events = inputs.filter { $0.kind == .event }
        if let unknown = events.first(where: { $0.arguments == nil }) {
            throw .noArguments(front: unknown.front, sequence: unknown.sequence)
        }
        return events
    }
}
